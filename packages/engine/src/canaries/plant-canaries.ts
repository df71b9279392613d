import { lstatSync, mkdirSync, lutimesSync, lchownSync, writeFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Canary, CanaryTouch } from '@assay/protocol';
import type { Mount, Sandbox } from '@assay/sandbox';
import type { MadeCanary } from './make-canaries.ts';

/** Empty directories in the sandbox for canaries outside of the user's own. */
export const CANARY_MOUNTS: readonly Mount[] = [
  { kind: 'layers', sources: [], target: '/solution' },
  { kind: 'layers', sources: [], target: '/tests' },
];

export interface PlantedCanaries {
  /** Canaries that could be planted. */
  canaries: Canary[];
  /** Reports whether they were touched; no command of the sandbox may be running. */
  touched(): CanaryTouch[];
}

/** Age given to the files. The kernel records a reading only if it knows of none since the last change. */
const AGE_MS = 3_600_000;

/** Writes canaries into a sandbox in which nothing has run yet. A canary whose place is taken is left out. */
export function plantCanaries(sandbox: Sandbox, made: readonly MadeCanary[]): PlantedCanaries {
  const planted = new Map<string, Stats>();
  const canaries = made.flatMap(({ identifier, constant, files }): Canary[] => {
    const paths: string[] = [];
    for (const { path, content } of files) {
      const stats = plant(sandbox, path, content);
      if (stats === null) continue;
      planted.set(path, stats);
      paths.push(path);
    }
    return paths.length === 0 ? [] : [{ paths, identifier, constant }];
  });
  return { canaries, touched: () => [...planted].flatMap(([path, before]) => touchOf(sandbox, path, before)) };
}

function plant(sandbox: Sandbox, path: string, content: string | Buffer): Stats | null {
  const view = viewOf(sandbox, path);
  if (view === null) return null;
  try {
    const made = mkdirSync(dirname(view), { recursive: true });
    if (made !== undefined)
      for (let place = dirname(view); place.length >= made.length; place = dirname(place)) own(sandbox, place);
    writeFileSync(view, content, { flag: 'wx', mode: 0o644 });
    own(sandbox, view);
    const time = Math.floor((Date.now() - AGE_MS) / 1000);
    lutimesSync(view, time, time);
    return lstatSync(view);
  } catch {
    return null;
  }
}

/** A file that can no longer be examined, because of a link or a mode in the way, is not the one that was planted. */
function touchOf(sandbox: Sandbox, path: string, before: Stats): CanaryTouch[] {
  try {
    const view = viewOf(sandbox, path);
    const now = view === null ? null : lstatSync(view, { throwIfNoEntry: false });
    if (now === undefined) return [{ path, how: 'gone' }];
    if (now === null || now.ino !== before.ino || now.dev !== before.dev || now.ctimeMs !== before.ctimeMs)
      return [{ path, how: 'changed' }];
    return now.atimeMs === before.atimeMs ? [] : [{ path, how: 'read' }];
  } catch {
    return [{ path, how: 'changed' }];
  }
}

function viewOf(sandbox: Sandbox, path: string): string | null {
  try {
    const view = sandbox.hostView?.(dirname(path));
    return view === undefined ? null : join(view, path.slice(dirname(path).length));
  } catch {
    return null;
  }
}

function own({ hostOwner }: Sandbox, path: string): void {
  if (hostOwner) lchownSync(path, hostOwner.uid, hostOwner.gid);
}
