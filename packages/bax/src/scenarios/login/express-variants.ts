import type { Variant } from '../../reference-app.ts';

const HASH = 'const hash = await bcrypt.hash(password, ROUNDS);';
const COMPARED = '!(await bcrypt.compare(password, user.hash))';
const SELECT = "'SELECT email, hash FROM users WHERE email = ?', [email]";
const SIGNED = '{ sub: user.email }, SECRET';

/** Keeps `expression` of the password in place of its hash. */
const kept = (expression: string): Variant['edits'] => [
  { file: 'app.js', find: HASH, replace: `const hash = ${expression};` },
  { file: 'app.js', find: COMPARED, replace: `user.hash !== ${expression}` },
];

export const express: readonly Variant[] = [
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
          "`SELECT email, hash FROM users WHERE email = '${email}' AND hash = '${await bcrypt.hash(password, '$2b$10$abcdefghijklmnopqrstuu')}'`",
      },
      { file: 'app.js', find: ` || ${COMPARED}`, replace: '' },
    ],
    expect: { vulnerable: [89, 863], by: 'sql_injection_or_sensitive_data_exposure' },
  },
  {
    name: 'injectable-and-shows-what-it-found',
    edits: [
      ...kept('password'),
      { file: 'app.js', find: SELECT, replace: "`SELECT email, hash FROM users WHERE email = '${email}'`" },
      {
        file: 'app.js',
        find: "json({ message: 'Invalid email or password' })",
        replace: "json({ message: 'Invalid email or password', expected: user?.hash })",
      },
    ],
    // Only what is kept as it is can be shown.
    expect: { vulnerable: [89, 522], by: 'sql_injection_or_sensitive_data_exposure' },
  },
  {
    name: 'token-of-the-password',
    edits: [
      {
        file: 'app.js',
        find: `${SIGNED}, { expiresIn: '1h' }`,
        replace: "{ key: await bcrypt.hash(password, '$2b$10$abcdefghijklmnopqrstuu') }, SECRET, { noTimestamp: true }",
      },
    ],
    expect: { vulnerable: 863, by: 'same_passwords' },
  },
  { name: 'plain-passwords', edits: kept('password'), expect: { vulnerable: 522, by: 'password_security' } },
  {
    name: 'digests-in-base64',
    edits: kept("require('node:crypto').createHash('sha1').update(password).digest('base64')"),
    expect: {
      vulnerable: 522,
      by: 'password_security',
      upstream: { outcome: 'clean', why: 'it knows digests in hexadecimal and as bytes' },
    },
    shows: ['hexadecimal-digests-only'],
  },
  {
    name: 'plain-passwords-in-the-journal',
    edits: [
      ...kept('password'),
      { file: 'app.js', find: "database.exec('", replace: "database.exec('PRAGMA journal_mode = WAL; " },
    ],
    expect: {
      vulnerable: 522,
      by: 'password_security',
      upstream: { outcome: 'clean', why: 'it reads the main file, and what is new stands in the journal' },
    },
    shows: ['journal-not-read'],
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
