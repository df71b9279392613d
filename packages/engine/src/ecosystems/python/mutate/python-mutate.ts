import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  MUTATION_KINDS,
  type MutableSource,
  type MutateFacet,
  type MutateRuntime,
  type SourceMutant,
  type SourceRewrite,
} from '../../mutate-facet.ts';

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));
const INSIDE = '/opt/assay/mutate';
const TIMEOUT_MS = 60_000;

const Edits = z.array(z.object({ start: z.number().int(), end: z.number().int(), text: z.string() }));
const Mutants = z.array(z.array(z.object({ kind: z.enum(MUTATION_KINDS), edits: Edits })));
const Rewrites = z.array(z.array(z.object({ title: z.string(), edits: Edits })));

/** The interpreter's own parser, in a sandbox: what it reads is foreign, and some of it makes it crash. */
export const pythonMutate: MutateFacet = {
  mutants: async (sources, runtime): Promise<SourceMutant[][]> => Mutants.parse(await ask('mutants', sources, runtime)),
  rewrites: async (sources, runtime): Promise<SourceRewrite[][]> =>
    Rewrites.parse(
      await ask(
        'rewrites',
        sources.map((source) => ({ ...source, proposed: [] })),
        runtime,
      ),
    ),
};

async function ask(
  wanted: 'mutants' | 'rewrites',
  sources: readonly MutableSource[],
  { environment, provider, signal }: MutateRuntime,
): Promise<unknown> {
  if (sources.length === 0) return [];
  const sandbox = await provider.create({
    mounts: [...environment.mounts({ writable: false }), { kind: 'read-only', source: DIRECTORY, target: INSIDE }],
    env: environment.env,
    signal,
  });
  try {
    const given = sources.map(({ text, lines, proposed }) => ({ text, lines: [...lines], proposed }));
    const { stdout, exitCode, truncated } = await sandbox.exec('', {
      argv: [environment.env['ASSAY_PYTHON'] ?? 'python3', '-I', '-S', '-B', `${INSIDE}/main.py`],
      stdin: JSON.stringify({ wanted, sources: given }),
      timeout: TIMEOUT_MS,
      signal,
    });
    signal?.throwIfAborted();
    // A source that makes the parser crash or takes it too long is one that cannot be parsed.
    return exitCode === 0 && !truncated ? JSON.parse(stdout) : sources.map(() => []);
  } finally {
    await sandbox.destroy();
  }
}
