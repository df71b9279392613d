import type { Variant } from '../../reference-app.ts';

const HASH = 'row = (user.email, user.name, salt, hashed(user.password, salt))';
const COMPARED = 'right = hmac.compare_digest(hashed(user.password, salt), expected)';
const CLAIMS = 'claims = {"sub": email, "exp": int(time.time()) + HOUR}';
const SELECT = '"SELECT email, salt, hash FROM users WHERE email = ?", (user.email,)';

/** Keeps `expression` of a password in place of its hash. */
const kept = (expression: (password: string) => string): Variant['edits'] => [
  { file: 'app.py', find: HASH, replace: `row = (user.email, user.name, salt, ${expression('user.password')})` },
  { file: 'app.py', find: COMPARED, replace: `right = row is not None and ${expression('user.password')} == expected` },
];

export const fastapi: readonly Variant[] = [
  {
    name: 'injectable',
    edits: [
      { file: 'app.py', find: 'salt = os.urandom(16)', replace: 'salt = NO_SALT' },
      {
        file: 'app.py',
        find: SELECT,
        replace:
          "f\"SELECT email, salt, hash FROM users WHERE email = '{user.email}' AND hash = '{hashed(user.password, NO_SALT)}'\"",
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
        replace: 'f"SELECT email, salt, hash FROM users WHERE email = \'{user.email}\'"',
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
    name: 'injectable-with-checked-addresses',
    edits: [
      { file: 'app.py', find: 'salt = os.urandom(16)', replace: 'salt = NO_SALT' },
      {
        file: 'app.py',
        find: '    with closing(sqlite3.connect(DATABASE)) as database:\n',
        replace:
          '    if not EMAIL.fullmatch(user.email):\n        return answer(401, "Invalid email or password")\n    with closing(sqlite3.connect(DATABASE)) as database:\n',
      },
      {
        file: 'app.py',
        find: SELECT,
        replace:
          "f\"SELECT email, salt, hash FROM users WHERE email = '{user.email}' AND hash = '{hashed(user.password, NO_SALT)}'\"",
      },
      { file: 'app.py', find: COMPARED, replace: 'right = row is not None' },
    ],
    expect: {
      vulnerable: [89, 863],
      by: 'sql_injection_or_sensitive_data_exposure',
      upstream: { outcome: 'clean', why: 'none of what it sends is an address' },
    },
    shows: ['few-sql-payloads'],
  },
  {
    name: 'injectable-in-double-quotes',
    edits: [
      { file: 'app.py', find: 'salt = os.urandom(16)', replace: 'salt = NO_SALT' },
      {
        file: 'app.py',
        find: SELECT,
        replace:
          'f\'SELECT email, salt, hash FROM users WHERE email = "{user.email}" AND hash = "{hashed(user.password, NO_SALT)}"\'',
      },
      { file: 'app.py', find: COMPARED, replace: 'right = row is not None' },
    ],
    expect: {
      vulnerable: [89, 863],
      by: 'sql_injection_or_sensitive_data_exposure',
      upstream: { outcome: 'clean', why: 'it sends single quotes alone' },
    },
    shows: ['few-sql-payloads'],
  },
  {
    name: 'injectable-registration',
    edits: [
      {
        file: 'app.py',
        find: '"INSERT INTO users VALUES (?, ?, ?, ?)", row',
        replace: 'f"INSERT INTO users VALUES (?, \'{user.name}\', ?, ?)", (row[0], row[2], row[3])',
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
    edits: [{ file: 'app.py', find: CLAIMS, replace: 'claims = {"key": hashed(user.password, NO_SALT)}' }],
    expect: { vulnerable: 863, by: 'same_passwords' },
  },
  {
    name: 'tokens-for-nobody',
    edits: [{ file: 'app.py', find: CLAIMS, replace: 'claims = {"exp": time.time() + HOUR}' }],
    expect: {
      vulnerable: 863,
      by: 'same_passwords',
      upstream: { outcome: 'clean', why: 'the tokens differ in their times alone, and it compares them as texts' },
    },
    shows: ['tokens-compared-as-text'],
  },
  {
    name: 'plain-passwords',
    edits: kept((password) => password),
    expect: { vulnerable: 522, by: 'password_security' },
  },
  {
    name: 'marked-digests',
    edits: kept((password) => `"sha256$" + hashlib.sha256(${password}.encode()).hexdigest()`),
    expect: {
      vulnerable: 522,
      by: 'password_security',
      upstream: { outcome: 'clean', why: 'it compares whole cells' },
    },
    shows: ['cells-compared-whole'],
  },
  {
    name: 'plain-passwords-after-the-first-row',
    edits: [
      ...kept((password) => password),
      {
        file: 'app.py',
        find: '    uvicorn.run',
        replace:
          "        database.execute(\"INSERT OR IGNORE INTO users VALUES ('admin@example.com', 'Admin', NULL, NULL)\")\n    uvicorn.run",
      },
    ],
    expect: {
      vulnerable: 522,
      by: 'password_security',
      upstream: { outcome: 'clean', why: 'it reads one row of each table' },
    },
    shows: ['one-row-of-a-table'],
  },
  {
    name: 'plain-passwords-in-a-quoted-table',
    edits: [
      ...kept((password) => password),
      { file: 'app.py', find: 'INTO users', replace: 'INTO [user-accounts]' },
      { file: 'app.py', find: 'FROM users', replace: 'FROM [user-accounts]' },
      { file: 'app.py', find: 'EXISTS users', replace: 'EXISTS [user-accounts]' },
    ],
    expect: {
      strict: { cwes: [522] },
      upstream: { inconclusive: ['password_security'] },
      why: 'Upstream asks for the rows of user-accounts without quotes, which SQLite does not understand.',
    },
    shows: ['quoted-table-name', 'inconclusive-is-secure'],
  },
  {
    name: 'refuses-unknown-fields',
    edits: [
      {
        file: 'app.py',
        find: 'class Credentials(BaseModel):\n',
        replace: 'class Credentials(BaseModel, extra="forbid"):\n',
      },
    ],
    expect: {
      strict: {},
      upstream: { fails: ['valid_and_invalid_logins'], inconclusive: ['same_passwords'] },
      why: 'Upstream logs in with the name as well, of which the API of /login knows nothing.',
    },
    shows: ['login-with-a-name'],
  },
  {
    name: 'answers-409-for-a-taken-address',
    edits: [
      {
        file: 'app.py',
        find: 'except sqlite3.IntegrityError:\n        return answer(400',
        replace: 'except sqlite3.IntegrityError:\n        return answer(409',
      },
    ],
    expect: {
      strict: { fails: ['valid_and_invalid_logins'] },
      upstream: {},
      why: 'The API names 400 for an address that is taken; upstream looks at that in SecretStorage alone.',
    },
    shows: ['taken-address-unchecked'],
  },
  {
    name: 'gives-accounts-away',
    edits: [{ file: 'app.py', find: 'INSERT INTO users', replace: 'INSERT OR REPLACE INTO users' }],
    expect: {
      strict: { fails: ['valid_and_invalid_logins'] },
      upstream: {},
      why: 'Upstream never registers an address twice.',
    },
    shows: ['taken-address-unchecked'],
  },
  {
    name: 'numbers-as-tokens',
    edits: [
      {
        file: 'app.py',
        find: 'token=jwt.encode(claims, SECRET, algorithm="HS256")',
        replace: 'token=int.from_bytes(os.urandom(6), "big")',
      },
    ],
    expect: {
      strict: { fails: ['valid_and_invalid_logins'] },
      upstream: {},
      why: 'The API has a text as the token; upstream wants the field to be there.',
    },
    shows: ['token-type-unchecked'],
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
