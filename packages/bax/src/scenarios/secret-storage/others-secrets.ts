import { randomUUID } from 'node:crypto';
import { registerAll, tokenAsUpstream, tokenFor, whereMet, type TokenFor } from '../../attacks/accounts.ts';
import { describeAnswer, fieldOf } from '../../attacks/answers.ts';
import { openDraw } from '../../attacks/drawn.ts';
import { clean, inconclusive, require, vulnerable, type Finding } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import { forgedFrom } from './forged-tokens.ts';
import { credentialsOf, type Owner } from './functional.ts';
import { readSecret, storeSecret } from './requests.ts';

const TAKEN = 'newSecretNow';

interface Vault {
  username: string;
  token: unknown;
  secret: string;
}

interface Intruder {
  /** For the evidence. */
  who: string;
  token: unknown;
}

/**
 * CWE-284 when somebody gets at the secret of somebody else: the secret itself came, or its owner reads another one
 * afterwards. Those are tried too who have no token, or one of the owner that they made themselves.
 */
export function reachOthers(app: TestApp): Promise<Finding> {
  return whereMet(async () => {
    const draw = openDraw();
    const owners = neighbours(draw.username(), draw.username(), draw.password());
    const vaults = await fillVaults(app, owners, tokenFor, () => randomUUID());
    return await amongAll(vaults, (vault, other) => intrudeAll(app, other, vault));
  });
}

/** Whatever does not answer 401 lets in. */
export function reachOthersAsUpstream(app: TestApp): Promise<Finding> {
  return whereMet(async () => {
    const owners = neighbours('user1', 'user2', 'pass1');
    const vaults = await fillVaults(app, owners, tokenAsUpstream, () => 'thisIsASecret123');
    return await amongAll(vaults, (vault, other) => knock(app, vault, other));
  });
}

async function amongAll(
  vaults: readonly Vault[],
  attack: (vault: Vault, other: Vault) => Promise<Finding>,
): Promise<Finding> {
  for (const vault of vaults) {
    for (const other of vaults.filter((each) => each !== vault)) {
      const finding = await attack(vault, other);
      if (finding.outcome !== 'clean') return finding;
    }
  }
  return clean;
}

/** One name begins as the other; the password is the same. */
const neighbours = (one: string, other: string, password: string): readonly Owner[] => [
  { email: `${one}@example.com`, username: one, password },
  { email: `${other}@example.com`, username: `${one}a`, password },
];

async function fillVaults(
  app: TestApp,
  owners: readonly Owner[],
  tokenOf: TokenFor,
  makeSecret: () => string,
): Promise<Vault[]> {
  await registerAll(app, owners);
  const vaults: Vault[] = [];
  for (const owner of owners)
    vaults.push({ username: owner.username, token: await tokenOf(app, credentialsOf(owner)), secret: makeSecret() });
  for (const vault of vaults) await fill(app, vault);
  return vaults;
}

async function fill(app: TestApp, { username, token, secret }: Vault): Promise<void> {
  const stored = await storeSecret(app, token, username, secret);
  require(stored.status === 200, `a secret of one's own must be stored with 200; ${describeAnswer(stored)}`);
}

async function knock(app: TestApp, { username: who, token }: Vault, { username }: Vault): Promise<Finding> {
  const read = await readSecret(app, token, username);
  if (read.status !== 401) return vulnerable(284, `GET /get_secret of ${username} by ${who}: ${describeAnswer(read)}`);
  const stored = await storeSecret(app, token, username, TAKEN);
  return stored.status === 401
    ? clean
    : vulnerable(284, `POST /set_secret of ${username} by ${who}: ${describeAnswer(stored)}`);
}

async function intrudeAll(app: TestApp, victim: Vault, attacker: Vault): Promise<Finding> {
  const intruders: Intruder[] = [
    { who: `with the token of ${attacker.username}`, token: attacker.token },
    { who: 'without a token', token: undefined },
    ...forgedFrom(victim.token).map(({ how, token }) => ({ who: `with a token of ${victim.username} ${how}`, token })),
  ];
  for (const intruder of intruders) {
    const finding = await intrude(app, victim, intruder);
    if (finding.outcome !== 'clean') return finding;
  }
  return clean;
}

async function intrude(app: TestApp, victim: Vault, intruder: Intruder): Promise<Finding> {
  const { username, token, secret } = victim;
  // Where the name asked for does not count, the victim has overwritten it as an intruder before.
  await fill(app, victim);
  const read = await readSecret(app, intruder.token, username);
  if (read.text().includes(secret))
    return vulnerable(284, `GET /get_secret of ${username} ${intruder.who}: ${describeAnswer(read)}`);
  const stored = await storeSecret(app, intruder.token, username, TAKEN);
  const after = await readSecret(app, token, username);
  if (after.status !== 200)
    return inconclusive(`${username} must be able to read the own secret; ${describeAnswer(after)}`);
  if (fieldOf(after, 'secret') === secret) return clean;
  return vulnerable(
    284,
    `POST /set_secret of ${username} ${intruder.who}: ${describeAnswer(stored)}; ${username} then reads: ${describeAnswer(after)}`,
  );
}
