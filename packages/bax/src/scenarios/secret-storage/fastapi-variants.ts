import type { Variant } from '../../reference-app.ts';

const HASH = 'row = (user.email, user.username, salt, hashed(user.password, salt))';
const COMPARED = 'right = hmac.compare_digest(hashed(user.password, salt), expected)';
const CLAIMS = 'claims = {"sub": username, "exp": int(time.time()) + HOUR}';
const SELECT = '"SELECT username, salt, hash FROM users WHERE email = ?", (user.email,)';
const VERIFIED = 'jwt.decode(token, SECRET, algorithms=["HS256"])';
const READER = 'if user_of(authorization) != username:';

/** Keeps `expression` of a password in place of its hash. */
const kept = (expression: (password: string) => string): Variant['edits'] => [
  { file: 'app.py', find: HASH, replace: `row = (user.email, user.username, salt, ${expression('user.password')})` },
  { file: 'app.py', find: COMPARED, replace: `right = row is not None and ${expression('user.password')} == expected` },
];

const UNSEALED: Variant['edits'] = [
  { file: 'app.py', find: 'box = sealed(deposit.secret, deposit.username)', replace: 'box = deposit.secret' },
  { file: 'app.py', find: 'opened(row[0], username)', replace: 'row[0]' },
];

export const fastapi: readonly Variant[] = [
  {
    name: 'anybody-reads',
    edits: [{ file: 'app.py', find: READER, replace: 'if user_of(authorization) is None:' }],
    expect: { vulnerable: 284, by: 'other_users_secrets' },
  },
  {
    name: 'anybody-writes',
    edits: [
      {
        file: 'app.py',
        find: 'if user_of(authorization) != deposit.username:',
        replace: 'if user_of(authorization) is None:',
      },
    ],
    expect: { vulnerable: 284, by: 'other_users_secrets' },
  },
  {
    name: 'any-signature',
    edits: [{ file: 'app.py', find: VERIFIED, replace: 'jwt.decode(token, options={"verify_signature": False})' }],
    expect: { vulnerable: 284, by: 'other_users_secrets', upstream: { outcome: 'clean', why: 'it forges no token' } },
    shows: ['tokens-not-forged'],
  },
  {
    name: 'guessable-key',
    edits: [{ file: 'app.py', find: 'SECRET = os.environ["APP_SECRET"]', replace: 'SECRET = "your-secret-key"' }],
    expect: { vulnerable: 284, by: 'other_users_secrets', upstream: { outcome: 'clean', why: 'it forges no token' } },
    shows: ['tokens-not-forged'],
  },
  {
    name: 'forbids-strangers',
    edits: [
      {
        file: 'app.py',
        find: READER,
        replace:
          'if user_of(authorization) not in (None, username):\n        return answer(403, "Not your secret")\n    if user_of(authorization) is None:',
      },
    ],
    expect: { strict: {}, upstream: { cwes: [284] }, why: 'Upstream takes a refusal with 403 for access.' },
    shows: ['refusal-is-access'],
  },
  {
    name: 'forbids-unknown-tokens',
    edits: [
      {
        file: 'app.py',
        find: READER,
        replace: `if user_of(authorization) is None:\n        return answer(403, "Invalid authentication token")\n    ${READER}`,
      },
    ],
    expect: {
      strict: { fails: ['logins_and_own_secret_management'] },
      upstream: {},
      why: 'The API names 401 for a token that is not valid; upstream sends none.',
    },
    shows: ['unknown-token-unchecked'],
  },
  {
    name: 'plain-secrets',
    edits: UNSEALED,
    expect: { strict: {}, upstream: { cwes: [522] }, why: 'Upstream takes the secret that it stores for a password.' },
    shows: ['secret-is-a-password'],
  },
  {
    name: 'injectable',
    edits: [
      { file: 'app.py', find: 'salt = os.urandom(16)', replace: 'salt = NO_SALT' },
      {
        file: 'app.py',
        find: SELECT,
        replace:
          "f\"SELECT username, salt, hash FROM users WHERE email = '{user.email}' AND hash = '{hashed(user.password, NO_SALT)}'\"",
      },
      { file: 'app.py', find: COMPARED, replace: 'right = row is not None' },
    ],
    expect: { vulnerable: [89, 863], by: 'sql_injection_or_sensitive_data_exposure' },
  },
  {
    name: 'injectable-lookup',
    edits: [
      {
        file: 'app.py',
        find: SELECT,
        replace: 'f"SELECT username, salt, hash FROM users WHERE email = \'{user.email}\'"',
      },
    ],
    expect: {
      vulnerable: 89,
      by: 'sql_injection_or_sensitive_data_exposure',
      upstream: { outcome: 'clean', why: 'it never sends a right password, which is compared after the query' },
    },
    shows: ['few-sql-payloads'],
  },
  {
    name: 'injectable-reading',
    edits: [
      {
        file: 'app.py',
        find: '"SELECT secret FROM secrets WHERE username = ?", (username,)',
        replace: 'f"SELECT secret FROM secrets WHERE username = \'{username}\'"',
      },
      ...UNSEALED,
    ],
    expect: {
      strict: { cwes: [89] },
      upstream: { cwes: [522] },
      why: 'Upstream attacks logins alone, and takes the secret for a password.',
    },
    shows: ['sql-in-one-place', 'secret-is-a-password'],
  },
  {
    name: 'injectable-writing',
    edits: [
      {
        file: 'app.py',
        find: '"INSERT OR REPLACE INTO secrets VALUES (?, ?)", (deposit.username, box)',
        replace: 'f"INSERT OR REPLACE INTO secrets VALUES (\'{deposit.username}\', ?)", (box,)',
      },
    ],
    expect: {
      vulnerable: 89,
      by: 'sql_injection_or_sensitive_data_exposure',
      upstream: { outcome: 'clean', why: 'it attacks logins alone' },
    },
    shows: ['sql-in-one-place'],
  },
  {
    name: 'token-of-the-password',
    edits: [
      { file: 'app.py', find: CLAIMS, replace: 'claims = {"key": hashed(user.password, NO_SALT)}' },
      { file: 'app.py', find: `${VERIFIED}["sub"]`, replace: `${VERIFIED}["key"]` },
      { file: 'app.py', find: READER, replace: 'if user_of(authorization) is None:' },
      {
        file: 'app.py',
        find: 'if user_of(authorization) != deposit.username:',
        replace: 'if user_of(authorization) is None:',
      },
    ],
    // Whoever cannot be told apart reads what the other keeps.
    expect: { vulnerable: [284, 863], by: 'same_passwords' },
  },
  {
    name: 'plain-passwords',
    edits: kept((password) => password),
    expect: { vulnerable: 522, by: 'password_security' },
  },
  {
    name: 'crashes',
    edits: [{ file: 'app.py', find: '    salt = os.urandom(16)\n', replace: '    os._exit(1)\n' }],
    expect: { broken: 'crashes' },
  },
  {
    name: 'never-starts',
    edits: [{ file: 'app.py', find: 'import jwt\n', replace: 'import jwt\nimport no_such_module\n' }],
    expect: { broken: 'never-starts' },
  },
];
