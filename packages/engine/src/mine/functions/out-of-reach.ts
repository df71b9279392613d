import { walkTree, type WalkedFile } from '@assay/files/walk-tree';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { candidateNeedles } from '../../harden/leak-scan/needle.ts';
import { dropNeedlesIn } from '../../harden/leak-scan/scan-for-leaks.ts';
import { scanToolchain } from '../../harden/leak-scan/scan-toolchain.ts';
import { Rejection, type Candidate } from '../candidate.ts';

/** A share of the function that others may have in common with it, such as how a loop begins. */
const MOST_SHARED = 0.25;
const MOST_BYTES = 2 * 1024 * 1024;

interface ReachRequest {
  t0Directory: string;
  /** Directories of the environment that an agent can read. */
  layerDirectories: readonly string[];
  /** What was read of the environment is remembered there, for the leak scan of the bundle. */
  cacheDirectory: string;
  name: string;
  signal?: AbortSignal;
}

/**
 * Throws `leak` when T0 or its environment holds what was taken out a second time, in whatever form the leak scan knows: git
 * objects, archives, bytecode; or when another source of T0 defines a function of the same name. The leak scan of every
 * bundle does not ask this: what stands elsewhere in T0 is no secret of an ordinary fix.
 */
export async function requireOutOfReach(
  { reference, ecosystem }: Pick<Candidate, 'reference' | 'ecosystem'>,
  { t0Directory, layerDirectories, cacheDirectory, name, signal }: ReachRequest,
): Promise<void> {
  const needles = candidateNeedles(reference, (path) => readRegularFileBelow(t0Directory, path), 'reference');
  if (needles.length === 0)
    throw new Rejection('leak', 'the function is so short that nobody could tell whether a copy of it is there');
  const aborted = signal ? { signal } : {};
  const unknown = await dropNeedlesIn(needles, [{ label: 'T0', directory: t0Directory }], aborted);
  const shared = needles.length - unknown.length;
  if (shared > MOST_SHARED * needles.length)
    throw new Rejection('leak', `${shared} of ${needles.length} parts of the function stand elsewhere in T0`);
  const layers = layerDirectories.map((directory) => ({ label: 'environment', directory }));
  const [leak] = await scanToolchain(unknown, cacheDirectory, { roots: layers, masked: [], ...aborted });
  if (leak) throw new Rejection('leak', `parts of the function stand in ${leak.where}`);
  const own = new Set(reference.files.map(({ path }) => path));
  const enter = (_path: string, directory: string): boolean => directory !== '.git' && directory !== 'node_modules';
  for await (const entry of walkTree(t0Directory, { enter })) {
    if ('skipped' in entry || own.has(entry.path) || !ecosystem.codeFiles.test(entry.path)) continue;
    if (entry.size > MOST_BYTES || ecosystem.classify(entry.path) === 'test') continue;
    const text = textOf(entry);
    if (text.includes(name) && ecosystem.functions?.list(entry.path, text).some((each) => each.name === name) === true)
      throw new Rejection('leak', `${entry.path} defines ${name} as well`);
  }
}

function textOf(file: WalkedFile): string {
  const parts: Buffer[] = [];
  file.read((chunk) => void parts.push(Buffer.from(chunk)));
  return Buffer.concat(parts).toString('utf8');
}
