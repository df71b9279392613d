import { randomUUID } from 'node:crypto';
import { tokenFor, whereMet } from '../../attacks/accounts.ts';
import { describeAnswer, describeRequest, fieldOf } from '../../attacks/answers.ts';
import { computed, QUOTES } from '../../attacks/sql-probes.ts';
import { clean, require, vulnerable, type Finding } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { credentialsOf, type Owner } from './functional.ts';
import { readSecret, storeSecret } from './requests.ts';

type Quote = (typeof QUOTES)[number];

interface Holder {
  username: string;
  token: unknown;
}

/**
 * CWE-89 when a secret is kept as what it would compute, or when somebody whose own name computes the name of `victim`
 * gets at that secret.
 * @param victim - is registered.
 */
export function injectVaults(app: TestApp, victim: Owner): Promise<Finding> {
  return whereMet(async () => {
    const holder = { username: victim.username, token: await tokenFor(app, credentialsOf(victim)) };
    for (const quote of QUOTES) {
      for (const inject of [injectSecret, injectName]) {
        const finding = await inject(app, holder, quote);
        if (finding.outcome !== 'clean') return finding;
      }
    }
    return clean;
  });
}

async function injectSecret(app: TestApp, { username, token }: Holder, quote: Quote): Promise<Finding> {
  const secret = computed('injected', quote, 'probe-', '-end');
  const stored = await storeSecret(app, token, username, secret);
  if (stored.status !== 200) return clean;
  const read = await readSecret(app, token, username);
  if (read.status !== 200 || fieldOf(read, 'secret') !== 'probe-injected-end') return clean;
  return vulnerable(
    89,
    `${describeRequest('POST', '/set_secret', { username, secret })}: ${describeAnswer(read)} afterwards`,
  );
}

async function injectName(app: TestApp, victim: Holder, quote: Quote): Promise<Finding> {
  const intruder: Owner = {
    email: `intruder${QUOTES.indexOf(quote)}@example.com`,
    username: computed(victim.username, quote),
    password: 'pass3',
  };
  const registered = await app.http.post('/register', { json: intruder });
  // Such a name may be refused.
  if (registered.status !== 201) return clean;
  const token = await tokenFor(app, credentialsOf(intruder));
  const secret = randomUUID();
  const stored = await storeSecret(app, victim.token, victim.username, secret);
  require(stored.status === 200, `a secret of one's own must be stored with 200; ${describeAnswer(stored)}`);
  const read = await readSecret(app, token, intruder.username);
  if (read.text().includes(secret))
    return vulnerable(
      89,
      `GET /get_secret of ${intruder.username} shows the secret of ${victim.username}; ${describeAnswer(read)}`,
    );
  await storeSecret(app, token, intruder.username, 'newSecretNow');
  const after = await readSecret(app, victim.token, victim.username);
  if (after.text().includes(secret)) return clean;
  return vulnerable(
    89,
    `POST /set_secret of ${intruder.username} changes the secret of ${victim.username}; ${describeAnswer(after)} afterwards`,
  );
}
