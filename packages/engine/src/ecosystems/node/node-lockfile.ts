import { readTreeFile, readTreeText } from '../tree-files.ts';
import { readPackage } from './read-package.ts';

/** A package manager, its version and the lockfile from which it installs. */
export interface NodeLockfile {
  /** `berry`: yarn 2 and later, which share nothing with yarn 1 but the name. */
  manager: 'npm' | 'pnpm' | 'yarn' | 'berry' | 'bun';
  /** Range of the manager's versions that read this lockfile. */
  managerVersion: string;
  path: string;
  /** Of one that is no text, what of it is. */
  text: string;
}

/** The version of npm that installs where no lockfile says otherwise. */
export const NPM_VERSION = '10';

/**
 * Reads the lockfile of a tree, that of the manager it names first; null when it has none that Assay can install from.
 */
export async function readNodeLockfile(tree: string): Promise<NodeLockfile | null> {
  const named = (await readPackage(tree))?.packageManager?.split('@')[0];
  const readers = [readPnpm, readNpm, readYarn, readBun].sort(
    (a, b) => Number(b === READER_OF[named ?? '']) - Number(a === READER_OF[named ?? '']),
  );
  for (const reader of readers) {
    const found = await reader(tree);
    if (found) return found;
  }
  return null;
}

type Reader = (tree: string) => Promise<NodeLockfile | null>;

const readNpm: Reader = async (tree) => {
  for (const path of ['npm-shrinkwrap.json', 'package-lock.json']) {
    const text = await readTreeText(tree, path);
    if (text !== null) return { manager: 'npm', managerVersion: NPM_VERSION, path, text };
  }
  return null;
};

/** Format of pnpm-lock.yaml to the major of pnpm that wrote it; each major reads only formats of about its own age. */
const PNPM_MAJORS: Record<string, string> = {
  '5.0': '4',
  '5.1': '5',
  '5.2': '5',
  '5.3': '6',
  '5.4': '7',
  '6.0': '8',
  '6.1': '8',
  '7.0': '9',
  '9.0': '9',
};

/** Settings that only pnpm 10 and later read from their own file; a lockfile that they decided on needs them. */
const SETTINGS_OF_10 =
  /^(?:overrides|patchedDependencies|packageExtensions|onlyBuiltDependencies|ignoredBuiltDependencies|allowBuilds):/m;

/** pnpm 9 to 11 write one format. The manifest names the version, or else the settings show it. */
async function pnpmOf9(tree: string): Promise<string> {
  const named = /^pnpm@(\d+)\./.exec((await readPackage(tree))?.packageManager ?? '')?.[1];
  if (named !== undefined) return Number(named) >= 10 ? '10' : '9';
  return SETTINGS_OF_10.test((await readTreeText(tree, 'pnpm-workspace.yaml')) ?? '') ? '10' : '9';
}

const readPnpm: Reader = async (tree) => {
  const text = await readTreeText(tree, 'pnpm-lock.yaml');
  const format = text === null ? undefined : /^lockfileVersion:\s*['"]?(\d+\.\d+)/m.exec(text)?.[1];
  const major = format === '9.0' ? await pnpmOf9(tree) : PNPM_MAJORS[format ?? ''];
  return text !== null && major !== undefined
    ? { manager: 'pnpm', managerVersion: major, path: 'pnpm-lock.yaml', text }
    : null;
};

const readYarn: Reader = async (tree) => {
  const text = await readTreeText(tree, 'yarn.lock');
  if (text === null) return null;
  if (/^# yarn lockfile v1/m.test(text)) return { manager: 'yarn', managerVersion: '1', path: 'yarn.lock', text };
  return /^__metadata:/m.test(text) ? { manager: 'berry', managerVersion: BERRY, path: 'yarn.lock', text } : null;
};

/** Reads the lockfiles of yarn 2 and later. */
const BERRY = '4';

/** Reads `bun.lock`, and `bun.lockb` from before it was text. */
const readBun: Reader = async (tree) => {
  for (const path of BUN_LOCKFILES) {
    const content = await readTreeFile(tree, path);
    if (content !== null) return { manager: 'bun', managerVersion: '1', path, text: content.toString('utf8') };
  }
  return null;
};

export const BUN_LOCKFILES = ['bun.lock', 'bun.lockb'];

const READER_OF: Record<string, Reader> = { npm: readNpm, pnpm: readPnpm, yarn: readYarn, bun: readBun };

/**
 * Whether a lockfile pins a release of `name` from a registry. Such a release is older than T0, and the lockfile fixes
 * its bytes by hash.
 */
export function locksPackage({ manager, text }: NodeLockfile, name: string): boolean {
  const quoted = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  if (manager === 'npm') return new RegExp(`"(?:[^"]*node_modules/)?${quoted}": \\{\\s*"(?:version|name)"`).test(text);
  if (manager === 'berry') return new RegExp(`^[ \\t]+resolution: "${quoted}@npm:`, 'm').test(text);
  if (manager === 'bun') return new RegExp(`: \\["${quoted}@\\d`).test(text);
  if (manager === 'yarn') return new RegExp(`(?:^|[\\s,"])${quoted}@[^\\n]*:$`, 'm').test(text);
  return new RegExp(`^[ \\t]+['"]?/?${quoted}[@/]\\d`, 'm').test(text);
}
