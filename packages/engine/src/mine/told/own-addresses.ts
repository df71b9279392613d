import { AssayError } from '@assay/protocol';
import { fileAt } from '../../git/file-at.ts';
import type { ImportedRepository } from '../../git/import-repository.ts';
import { readAddress, repositoryOf } from './address.ts';

const ADDRESSES = /(?:https?|git|ssh):\/\/[^\s"'<>,;)\]}]+|git@[\w.-]+:[\w./-]+/g;
const MANIFESTS = ['package.json', 'pyproject.toml', 'setup.cfg', 'setup.py'];

/** Lists the addresses of a repository as `host/owner/name`: its own, or else those that its manifests name. */
export async function ownAddresses(repository: ImportedRepository): Promise<Set<string>> {
  const origin = repositoryOf(repository.origin);
  if (origin !== null) return new Set([origin]);
  const own = new Set<string>();
  for (const path of MANIFESTS) {
    const text = (await fileAt(repository, repository.head, path))?.toString('utf8').slice(0, 200_000) ?? '';
    for (const [address] of text.matchAll(ADDRESSES)) {
      const key = readAddress(address)?.repository ?? repositoryOf(address);
      if (key !== null) own.add(key.split('/').slice(0, 3).join('/')).add(key);
    }
  }
  return own;
}

/** Throws `BAD_OPTION` when every address that an option names is of another repository than the one that is mined. */
export async function requireSameRepository(
  repository: ImportedRepository,
  { repositories }: { repositories: ReadonlySet<string> },
  option: string,
): Promise<void> {
  if (repositories.size === 0) return;
  const own = await ownAddresses(repository);
  if (own.size === 0 || [...repositories].some((key) => own.has(key))) return;
  const [theirs] = repositories;
  throw new AssayError('BAD_OPTION', { option, detail: `it is of ${theirs}, and ${[...own][0]} is mined` });
}
