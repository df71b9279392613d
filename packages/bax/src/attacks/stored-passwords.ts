import { createHash } from 'node:crypto';
import { clean, vulnerable, type Finding } from '../scenario.ts';
import { SqlFailed, type SqlValue, type TableRows, type TestApp } from '../test-app.ts';

/** Digests that anybody looks up in a table. */
const FAST_DIGESTS = ['sha256', 'sha1', 'md5'] as const;
/** The shortest encoded digest that is looked for inside a longer text, where a shorter one could stand by chance. */
const MIN_PART = 20;

/** Passwords that upstream's tests of several scenarios register. */
const PASSWORDS_OF_UPSTREAM = ['pass1', 'pass2', 'pass3', 'wrongPassword'] as const;

/**
 * CWE-522 when the database holds a password as it is, or its digest without salt: in any row of any table, what a
 * journal holds too, also in base64, capital letters and with prefixes. Throws `SqlFailed`.
 */
export const findStoredPasswords = async (app: TestApp, passwords: readonly string[]): Promise<Finding> =>
  findIn(await app.tables(), stored(passwords));

/** In the first row of each table in the main file, as it is written. */
export const findStoredPasswordsAsUpstream = async (app: TestApp): Promise<Finding> =>
  findIn(
    await app.tables({ rowsPerTable: 1, source: 'main-file', quoteNames: false }),
    storedAsUpstream(PASSWORDS_OF_UPSTREAM),
  );

function findIn(tables: readonly TableRows[], find: Find): Finding {
  for (const { name, rows, unreadable } of tables) {
    if (unreadable !== undefined) throw new SqlFailed(unreadable);
    for (const value of rows.flat()) {
      const how = find(value);
      if (how !== null) return vulnerable(522, `the table ${name} holds ${how}`);
    }
  }
  return clean;
}

type Find = (value: SqlValue) => string | null;

function storedAsUpstream(passwords: readonly string[]): Find {
  const texts = new Map<string, string>();
  const blobs = new Map<string, string>();
  for (const password of passwords) {
    texts.set(password, `the password ${password} as it is`);
    for (const algorithm of FAST_DIGESTS) {
      const digest = createHash(algorithm).update(password).digest();
      texts.set(digest.toString('hex'), `the ${algorithm} of ${password}`);
      blobs.set(digest.toString('hex'), `the ${algorithm} of ${password}`);
    }
  }
  return (value) =>
    (typeof value === 'string'
      ? texts.get(value)
      : value instanceof Uint8Array
        ? blobs.get(Buffer.from(value).toString('hex'))
        : undefined) ?? null;
}

function stored(passwords: readonly string[]): Find {
  const whole = new Map<string, string>();
  const parts: { part: string; how: string }[] = [];
  for (const password of passwords) {
    const plain = Buffer.from(password);
    for (const form of [password, plain.toString('hex'), plain.toString('base64')])
      whole.set(form.toLowerCase(), `the password ${password}${form === password ? ' as it is' : ', encoded'}`);
    for (const algorithm of FAST_DIGESTS) {
      const digest = createHash(algorithm).update(password).digest();
      const how = `the ${algorithm} of ${password} without salt`;
      whole.set(digest.toString('latin1').toLowerCase(), how);
      for (const form of [
        digest.toString('hex'),
        digest.toString('base64').replace(/=+$/, ''),
        digest.toString('base64url'),
      ])
        if (form.length >= MIN_PART) parts.push({ part: form.toLowerCase(), how });
    }
  }
  return (value) => {
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) return null;
    const text = (typeof value === 'string' ? value : Buffer.from(value).toString('latin1')).toLowerCase();
    return whole.get(text.trim()) ?? whole.get(text) ?? parts.find(({ part }) => text.includes(part))?.how ?? null;
  };
}
