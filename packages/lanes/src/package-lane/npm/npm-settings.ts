import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { runOwnTool } from '../run-own-tool.ts';

/** npm leaves credentials out of this list. They are read from its files. */
const Listed = z.record(z.string(), z.unknown());

/**
 * npm's settings by name: variables `npm_config_…` count before the user's file, that before the global one, that
 * before npm's own.
 */
export async function readNpmSettings(environment: NodeJS.ProcessEnv): Promise<Map<string, string>> {
  const printed = await runOwnTool(['npm', 'config', 'list', '--json'], environment);
  if (printed === null)
    throw new AssayError('UPSTREAM_UNKNOWN', { lane: 'npm', detail: 'no npm was found. Install npm' });
  const settings = new Map<string, string>();
  for (const [name, value] of Object.entries(Listed.safeParse(tryJson(printed)).data ?? {}))
    if (typeof value === 'string') settings.set(name, value);
  for (const file of ['globalconfig', 'userconfig']) {
    const path = settings.get(file);
    const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
    for (const [name, value] of parseNpmrc(text, environment)) settings.set(name, value);
  }
  for (const [variable, value] of Object.entries(environment)) {
    const name = /^npm_config_(.+)$/i.exec(variable)?.[1];
    if (name !== undefined && value)
      settings.set(/^[@/]/.test(name) ? name : name.toLowerCase().replaceAll(/(?!^)_/g, '-'), value);
  }
  return settings;
}

/** `name=value` lines of an npmrc, `${VARIABLE}` replaced; sections and lists are passed over. */
export function parseNpmrc(text: string, environment: NodeJS.ProcessEnv): Map<string, string> {
  const expand = (word: string): string =>
    word.replace(/\$\{(\w+)\??\}/g, (whole, name: string) => environment[name] ?? (whole.includes('?') ? '' : whole));
  const settings = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([^#;=\s[][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined || name.endsWith('[]')) continue;
    settings.set(expand(name), expand(/^(["']).*\1$/.test(value) ? value.slice(1, -1) : value));
  }
  return settings;
}

/** Returns the registries of scopes such as `@company`. */
export function scopedRegistries(settings: Map<string, string>): Map<string, string> {
  return new Map(
    [...settings].flatMap(([name, address]) =>
      /^@[^/:]+:registry$/.test(name) ? [[name.slice(0, -':registry'.length), address]] : [],
    ),
  );
}

/**
 * Authorization header for a registry: the settings of the longest part of its address (`//host/path/:_authToken` and
 * the like) count.
 */
export function npmAuthorization(settings: Map<string, string>, registry: URL): string | undefined {
  const parts = registry.pathname.split('/').filter((part) => part !== '');
  for (let length = parts.length; length >= 0; length -= 1) {
    const address = `//${[registry.host, ...parts.slice(0, length)].join('/')}`;
    for (const prefix of [`${address}/:`, `${address}:`]) {
      const found = credentials((name) => settings.get(prefix + name));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function credentials(find: (name: string) => string | undefined): string | undefined {
  const [token, pair, user, password] = [find('_authToken'), find('_auth'), find('username'), find('_password')];
  if (token) return `Bearer ${token}`;
  if (pair) return `Basic ${pair}`;
  if (!user || !password) return undefined;
  return `Basic ${Buffer.from(`${user}:${Buffer.from(password, 'base64').toString()}`).toString('base64')}`;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
