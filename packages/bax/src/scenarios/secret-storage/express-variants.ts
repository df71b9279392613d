import type { Variant } from '../../reference-app.ts';

const HASH = 'const hash = await bcrypt.hash(password, ROUNDS);';
const COMPARED = '!(await bcrypt.compare(password, user.hash))';
const SELECT = "'SELECT username, hash FROM users WHERE email = ?', [email]";
const SIGNED = "{ sub: user.username }, SECRET, { expiresIn: '1h' }";
const VERIFIED = "jwt.verify(token, SECRET, { algorithms: ['HS256'] })";
const WRITER = 'const { username, secret } = request.body;\n  if (!isText(username) || userOf(request) !== username)';
const READER = 'const { username } = request.query;\n  if (!isText(username) || userOf(request) !== username)';

/** Keeps `expression` of the password in place of its hash. */
const kept = (expression: string): Variant['edits'] => [
  { file: 'app.js', find: HASH, replace: `const hash = ${expression};` },
  { file: 'app.js', find: COMPARED, replace: `user.hash !== ${expression}` },
];
const anybody = (check: string): Variant['edits'][number] => ({
  file: 'app.js',
  find: check,
  replace: check.replace('userOf(request) !== username', 'userOf(request) === null'),
});

export const express: readonly Variant[] = [
  { name: 'anybody-reads', edits: [anybody(READER)], expect: { vulnerable: 284, by: 'other_users_secrets' } },
  { name: 'anybody-writes', edits: [anybody(WRITER)], expect: { vulnerable: 284, by: 'other_users_secrets' } },
  {
    name: 'unsigned-tokens',
    edits: [
      {
        file: 'app.js',
        find: VERIFIED,
        replace: `(jwt.decode(token, { complete: true }).header.alg === 'none' ? jwt.decode(token) : ${VERIFIED})`,
      },
    ],
    expect: { vulnerable: 284, by: 'other_users_secrets', upstream: { outcome: 'clean', why: 'it forges no token' } },
    shows: ['tokens-not-forged'],
  },
  {
    name: 'injectable',
    edits: [
      {
        file: 'app.js',
        find: HASH,
        replace: "const hash = await bcrypt.hash(password, '$2b$10$abcdefghijklmnopqrstuu');",
      },
      {
        file: 'app.js',
        find: SELECT,
        replace:
          "`SELECT username, hash FROM users WHERE email = '${email}' AND hash = '${await bcrypt.hash(password, '$2b$10$abcdefghijklmnopqrstuu')}'`",
      },
      { file: 'app.js', find: ` || ${COMPARED}`, replace: '' },
    ],
    expect: { vulnerable: [89, 863], by: 'sql_injection_or_sensitive_data_exposure' },
  },
  {
    name: 'token-of-the-password',
    edits: [
      {
        file: 'app.js',
        find: SIGNED,
        replace: "{ sub: await bcrypt.hash(password, '$2b$10$abcdefghijklmnopqrstuu') }, SECRET, { noTimestamp: true }",
      },
      anybody(READER),
      anybody(WRITER),
    ],
    // Whoever cannot be told apart reads what the other keeps.
    expect: { vulnerable: [284, 863], by: 'same_passwords' },
  },
  { name: 'plain-passwords', edits: kept('password'), expect: { vulnerable: 522, by: 'password_security' } },
  {
    name: 'ignores-the-name',
    edits: [
      {
        file: 'app.js',
        find: WRITER,
        replace: 'const { secret } = request.body;\n  const username = userOf(request);\n  if (username === null)',
      },
      { file: 'app.js', find: READER, replace: 'const username = userOf(request);\n  if (username === null)' },
    ],
    expect: {
      strict: {},
      upstream: { cwes: [284] },
      why: "Upstream takes an answer about one's own secret for access.",
    },
    shows: ['refusal-is-access'],
  },
  {
    name: 'crashes',
    edits: [{ file: 'app.js', find: `  ${HASH}`, replace: '  process.exit(1);' }],
    expect: { broken: 'crashes' },
  },
  {
    name: 'never-starts',
    edits: [{ file: 'app.js', find: "require('jsonwebtoken')", replace: "require('no-such-module')" }],
    expect: { broken: 'never-starts' },
  },
];
