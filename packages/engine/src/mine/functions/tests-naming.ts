import { walkTree } from '@assay/files/walk-tree';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';

const MOST_BYTES = 1024 * 1024;

/** Lists the test files of a tree that name something, those that do most often first. */
export async function testsNaming(
  directory: string,
  name: string,
  { codeFiles, classify, tests }: Ecosystem,
  most: number,
): Promise<string[]> {
  const word = new RegExp(`(?<![\\w$])${name.replaceAll('$', String.raw`\$`)}(?![\\w$])`, 'g');
  const found: { path: string; count: number }[] = [];
  const enter = (_path: string, entry: string): boolean => entry !== '.git' && entry !== 'node_modules';
  for await (const entry of walkTree(directory, { enter })) {
    if ('skipped' in entry || !codeFiles.test(entry.path) || entry.size > MOST_BYTES) continue;
    if (classify(entry.path) !== 'test' || !tests.isTestFile(entry.path)) continue;
    const parts: Buffer[] = [];
    entry.read((chunk) => void parts.push(Buffer.from(chunk)));
    const count = Buffer.concat(parts).toString('utf8').match(word)?.length ?? 0;
    if (count > 0) found.push({ path: entry.path, count });
  }
  return found
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
    .slice(0, most)
    .map(({ path }) => path);
}
