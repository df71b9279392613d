import { AssayError } from '@assay/protocol';
import { languageTools, type SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import { compareChanges } from './compare-changes.ts';
import { countsIn } from './counts-in.ts';
import { tokenReader } from './read-tokens.ts';

/** Counts the parts of a reference that are compared: none when it changes nothing that a parser reads. */
export async function countParts(
  {
    ecosystem,
    reference,
    before,
  }: { ecosystem: Ecosystem; reference: ChangeSet; before: (path: string) => Buffer | null },
  { provider, signal }: { provider: SandboxProvider; signal?: AbortSignal | undefined },
): Promise<number> {
  const { compare: facet } = ecosystem;
  if (!facet) throw new AssayError('IMPOSSIBLE', { detail: `sources of ${ecosystem.id} cannot be compared` });
  const { mounts, env } = await languageTools(['javascript', 'python'], provider);
  const { parts } = await compareChanges({
    reference,
    submission: reference,
    before,
    counts: countsIn(ecosystem),
    isCode: (path) => ecosystem.codeFiles.test(path),
    readTokens: tokenReader({ facet, environment: { mounts: () => mounts, env }, provider, signal }),
  });
  return parts.length;
}
