import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOwnTool } from '@assay/lanes/package-lane/run-own-tool';

/** Where apt keeps what its sources last said of themselves. */
const LISTS = '/var/lib/apt/lists';
/** Makes apt read only its configuration, since reading its lists takes seconds. */
const ASK_APT = [
  'apt-get',
  'indextargets',
  '--no-release-info',
  '-o',
  'Dir::State::lists=/nonexistent',
  '--format',
  '$(REPO_URI)',
];
const MIRROR = /^https?:\/\/\S+\/$/;

/**
 * Addresses, each with `/` at its end, from which apt of this machine takes packages, in its order. Empty without apt,
 * and where its sources are known and none is Debian's. Fetches nothing.
 */
export async function aptMirrors(): Promise<string[]> {
  const [text, others] = await Promise.all([runOwnTool(ASK_APT, process.env), knowsOthersOnly()]);
  return others ? [] : [...new Set((text ?? '').split('\n').filter((address) => MIRROR.test(address)))];
}

async function knowsOthersOnly(): Promise<boolean> {
  const names = (await readdir(LISTS).catch(() => [])).filter((name) => /_(In)?Release$/.test(name));
  const releases = await Promise.all(names.map((name) => readFile(join(LISTS, name), 'latin1').catch(() => '')));
  return releases.length > 0 && !releases.some((text) => /^Origin: Debian$/m.test(text));
}
