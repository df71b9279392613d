import { AssayError } from '@assay/protocol';
import semver from 'semver';
import { readTreeText } from '../tree-files.ts';
import { NODE_RELEASES, OLDEST_MAJOR } from './node-releases.ts';
import { readPackage } from './read-package.ts';

/** Projects test on a major from the time that it enters long-term support. */
const SETTLING_DAYS = 180;

/** Node versions that the files of T0 ask for. */
export interface NodeWish {
  /** Major from `.nvmrc` or `.node-version`; null when neither names one. */
  pinned: number | null;
  /** `engines.node`; empty when it is absent or not a range. */
  engines: string;
}

export async function nodeWish(tree: string): Promise<NodeWish> {
  const manifest = await readPackage(tree);
  let pinned: number | null = null;
  for (const file of ['.nvmrc', '.node-version']) {
    const text = (await readTreeText(tree, file)) ?? '';
    pinned ??= Number(/^\s*v?(\d+)/.exec(text)?.[1] ?? NaN) || null;
  }
  const engines = manifest?.engines['node'] ?? '';
  return { pinned, engines: semver.validRange(engines) === null ? '' : engines };
}

/**
 * Chooses the even major that fits a tree best: the one it pins; else the newest that was in long-term support at T0
 * and that it allows; else the nearest to that. Never older than Assay's runners need. Throws `INTERPRETER_MISSING`.
 */
export function chooseNodeMajor(wish: NodeWish, t0: Date): number {
  const majors = NODE_RELEASES.map(({ major }) => major).filter((major) => major >= OLDEST_MAJOR);
  const oldest = majors[0] ?? OLDEST_MAJOR;
  const allowed = majors.filter((major) => wish.engines === '' || semver.intersects(`^${major}.0.0`, wish.engines));
  if (wish.pinned !== null && wish.pinned >= oldest) {
    const nearest = majors.filter((major) => major >= Math.min(wish.pinned ?? 0, majors.at(-1) ?? oldest))[0];
    if (nearest !== undefined) return nearest;
  }
  const settled =
    NODE_RELEASES.filter(({ released }) => Date.parse(released) + SETTLING_DAYS * 86_400_000 <= t0.getTime()).at(-1)
      ?.major ?? oldest;
  const best = allowed.filter((major) => major <= settled).at(-1) ?? allowed[0];
  if (best === undefined)
    throw new AssayError('INTERPRETER_MISSING', {
      language: 'Node',
      wanted: `${wish.engines} (Assay needs ${OLDEST_MAJOR} or newer)`,
    });
  return best;
}
