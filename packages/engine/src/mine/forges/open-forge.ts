import { AssayError } from '@assay/protocol';
import { readAddress } from '../told/address.ts';
import { ForgeClient, type ForgeClientOptions } from './forge-client.ts';
import { forgeSource } from './forge-source.ts';
import { FORGE_KINDS, type Forge, type ForgeKind } from './forge.ts';
import { FORGES } from './index.ts';
import type { PullSource } from './pull-request.ts';

export interface ForgeOptions extends Pick<ForgeClientOptions, 'cacheDirectory' | 'wait' | 'maxBytes'> {
  /** Address of the repository for people. */
  address: string;
  /** One of `FORGE_KINDS`; without it the forge is asked. */
  kind?: string;
  /** Name of the variable that holds the token. */
  tokenVariable?: string;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface OpenedForge extends PullSource {
  /** `host/owner/name` in small letters. */
  own: string;
  kind: ForgeKind;
  close(): void;
}

const badOption = (option: string, detail: string): AssayError => new AssayError('BAD_OPTION', { option, detail });

/**
 * Opens the forge of a repository. The token is read from the environment: from the variable that is named, else, on the
 * hosts that everybody knows, from theirs; no other host gets one without being told. Throws `BAD_OPTION`.
 */
export async function openForge(options: ForgeOptions, signal?: AbortSignal): Promise<OpenedForge> {
  const { url, own, project } = placeOf(options.address);
  const host = url.hostname.replace(/^www\./, '');
  const token = tokenOf(host, options);
  const clientOf = (forge: Forge, withToken: string | null): ForgeClient => {
    const root = new URL(forge.rootOf?.(host) ?? `${url.origin}${forge.root}`);
    return new ForgeClient({ ...options, forge, root, token: withToken });
  };
  const forge = kindOf(options.kind) ?? FORGES.find(({ homes }) => host in homes) ?? (await detect(clientOf, signal));
  if (!forge)
    throw badOption('--forge', `${host} does not tell what it is. Name it: --forge-kind ${FORGE_KINDS.join(', ')}`);
  if (forge.kind !== 'gitlab' && project.split('/').length !== 2)
    throw badOption('--forge', `${project} is no owner and name`);
  const client = clientOf(forge, token);
  return { ...forgeSource({ forge, client, project, own }), own, kind: forge.kind, close: () => client.close() };
}

function placeOf(address: string): { url: URL; own: string; project: string } {
  const url = URL.parse(address);
  const own = readAddress(address);
  if (!url || !own || own.thing)
    throw badOption('--forge', 'it is no address of a repository, https://HOST/OWNER/NAME');
  if (url.username !== '' || url.password !== '')
    throw badOption('--forge', 'it holds credentials. Put the token into a variable, and name that with --token-env');
  const project = decodeURIComponent(url.pathname)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '');
  return { url, own: own.repository, project };
}

function kindOf(kind: string | undefined): Forge | null {
  if (kind === undefined) return null;
  const forge = FORGES.find((each) => each.kind === kind);
  if (!forge) throw badOption('--forge-kind', `it is ${FORGE_KINDS.join(', ')}`);
  return forge;
}

function tokenOf(host: string, { tokenVariable, environment }: ForgeOptions): string | null {
  if (tokenVariable !== undefined) {
    const token = environment[tokenVariable]?.trim();
    if (!token) throw badOption('--token-env', `the variable ${tokenVariable} is not set`);
    return usable(token, tokenVariable);
  }
  const known = FORGES.flatMap(({ homes }) => homes[host] ?? []).find((name) => environment[name]?.trim());
  return known === undefined ? null : usable(environment[known]?.trim() ?? '', known);
}

/** What cannot stand in a header would be told by the error about it. */
function usable(token: string, variable: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw badOption('--token-env', `the variable ${variable} holds no token`);
}

/** Asks a host, without a token, what it is. */
async function detect(
  clientOf: (forge: Forge, token: null) => ForgeClient,
  signal?: AbortSignal,
): Promise<Forge | null> {
  for (const forge of FORGES) {
    const client = clientOf(forge, null);
    try {
      const answer = await client.probe(forge.probe.path, signal);
      if (answer && forge.probe.isKind(answer.status, answer.body, answer.headers)) return forge;
    } finally {
      client.close();
    }
  }
  return null;
}
