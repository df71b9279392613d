import type { Leak, Sentence } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import {
  instructionLeaks,
  leakNeedles,
  scanForLeaks,
  scanToolchain,
  type ScanRoot,
} from '../harden/leak-scan/index.ts';

export interface Readable {
  task: { instruction: string; meta: { statement: readonly Sentence[] } };
  t0Directory: string;
  environment: Pick<PreparedEnvironment, 'mounts' | 'layerDirectories'>;
  reference: ChangeSet;
  hidden: ChangeSet;
}

export interface FindLeaksOptions {
  cacheDirectory: string;
  /** Look in the host's own packages too, not only in the language's toolchain. Default false. */
  wholeHost?: boolean;
  signal?: AbortSignal;
}

/**
 * Lists what of a solution and its tests stands in anything that an agent can read: instruction, repository with its objects, environment, and the toolchain under
 * them.
 */
export async function findLeaks(
  { task, t0Directory, environment, reference, hidden }: Readable,
  { cacheDirectory, wholeHost, signal }: FindLeaksOptions,
): Promise<Leak[]> {
  const needles = {
    reference: await leakNeedles(reference, t0Directory, 'reference'),
    tests: await leakNeedles(hidden, t0Directory, 'test'),
  };
  const all = [...needles.reference, ...needles.tests];
  const { instruction } = task;
  const told = task.meta.statement.flatMap(({ source, text }) => (source === 'behaviour' ? [text] : []));
  const aborted = signal ? { signal } : {};
  return [
    ...(await instructionLeaks(needles, { instruction, told }, aborted)),
    ...(await scanForLeaks(all, [{ label: 'workspace', directory: t0Directory }], aborted)),
    ...(await scanToolchain(all, cacheDirectory, { roots: layersOf(environment), masked: [], ...aborted })),
    ...(await scanToolchain(all, cacheDirectory, { ...toolchainOf(environment), ...aborted })),
    ...(wholeHost ? await scanToolchain(all, cacheDirectory, { withoutPrograms: true, ...aborted }) : []),
  ];
}

/** Layers are shared by many tasks, so they are read once and remembered as the toolchain is. */
const layersOf = ({ layerDirectories }: Readable['environment']): ScanRoot[] =>
  layerDirectories.map((directory) => ({ label: 'environment', directory }));

/**
 * Lists what an environment mounts from the host besides its own layers, such as the interpreter, without what it
 * hides.
 */
function toolchainOf({ mounts, layerDirectories }: Readable['environment']): { roots: ScanRoot[]; masked: string[] } {
  const all = mounts({ writable: false });
  const shown = all.flatMap((mount) =>
    mount.kind === 'read-only' && !layerDirectories.includes(mount.source) ? [mount] : [],
  );
  const masked = all.flatMap((mount) =>
    mount.kind === 'hidden'
      ? shown
          .filter(({ target }) => mount.target.startsWith(`${target}/`))
          .map(({ source, target }) => `${source}${mount.target.slice(target.length)}`)
      : [],
  );
  return { roots: shown.map(({ source, target }) => ({ label: target, directory: source })), masked };
}
