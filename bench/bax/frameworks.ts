import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { performance } from 'node:perf_hooks';
import { referenceOf } from '../../packages/bax/src/check/reference-of.ts';
import { findScenario } from '../../packages/bax/src/find-row.ts';
import type { Framework, PreparedFramework } from '../../packages/bax/src/framework.ts';
import { buildSample } from '../../packages/bax/src/frameworks/build-sample.ts';
import type { AppImage } from '../../packages/bax/src/grade/app-image.ts';
import { ForkServers } from '../../packages/bax/src/grade/fork-servers.ts';
import { startApp } from '../../packages/bax/src/grade/start-app.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { runCommand, type SandboxProvider } from '@assay/sandbox';
import { median, round } from './median.ts';

const STARTS = 5;
const START_MS = 60_000;

export interface FrameworkRow {
  framework: string;
  variant: string | null;
  /** Null where the layer was there. */
  installSeconds: number | null;
  layerMiB: number | null;
  /** Seconds to build an answer; null where there is nothing to build. */
  buildSeconds: number | null;
  /** From nothing to the first answer of the Calculator, median. */
  startMs: number | null;
  /**
   * The same of a copy of a process that has imported the framework; null where an instance is always a process of its
   * own.
   */
  copyMs: number | null;
  /** Why this machine cannot. */
  why: string | null;
}

interface Request {
  frameworks: readonly Framework[];
  provider: SandboxProvider;
  /** Into an empty cache. */ cold: boolean;
  say: (text: string) => void;
}

export async function measureFrameworks({ frameworks, provider, cold, say }: Request): Promise<FrameworkRow[]> {
  const rows: FrameworkRow[] = [];
  for (const framework of frameworks) {
    const cache = cold ? await mkdtemp(join(tmpdir(), 'assay-bench-cache-')) : cacheDirectory();
    try {
      rows.push(await measure(framework, cache, provider));
    } catch (error) {
      rows.push({ ...nothing(framework), why: error instanceof Error ? error.message : String(error) });
    } finally {
      if (cold) await rm(cache, { recursive: true, force: true });
    }
    say(JSON.stringify(rows.at(-1)));
  }
  return rows;
}

const nothing = ({ id }: Framework): FrameworkRow => ({
  framework: id,
  variant: null,
  installSeconds: null,
  layerMiB: null,
  buildSeconds: null,
  startMs: null,
  copyMs: null,
  why: null,
});

async function measure(framework: Framework, cache: string, provider: SandboxProvider): Promise<FrameworkRow> {
  const why = await framework.unavailable();
  if (why !== null) return { ...nothing(framework), why };
  let installed = false;
  const begin = performance.now();
  const prepared = await framework.prepare({ provider, cacheDirectory: cache, progress: () => (installed = true) });
  const installSeconds = installed ? round((performance.now() - begin) / 1000, 1) : null;
  const reference = await referenceOf(findScenario('Calculator'), framework.id);
  if (!reference)
    return {
      ...nothing(framework),
      variant: prepared.variant,
      installSeconds,
      layerMiB: await layerMiB(prepared, cache),
      why: 'it has no Calculator',
    };
  const building = performance.now();
  const sample = await buildSample({ framework, prepared, files: reference.files(), provider });
  const buildSeconds = prepared.build.length > 0 ? round((performance.now() - building) / 1000, 1) : null;
  const forkServers = new ForkServers(provider);
  try {
    if (!sample.image) throw new Error(sample.build.log);
    const starts = await timeStarts(sample.image, { provider });
    const { copy } = await forkServers.copyFor(sample.image);
    const copies = copy ? await timeStarts(sample.image, { provider, forkServers }) : [];
    return {
      framework: framework.id,
      variant: prepared.variant,
      installSeconds,
      layerMiB: await layerMiB(prepared, cache),
      buildSeconds,
      startMs: round(median(starts)),
      copyMs: copies.length > 0 ? round(median(copies)) : null,
      why: null,
    };
  } finally {
    await forkServers.close();
    await sample.dispose();
  }
}

async function timeStarts(
  image: AppImage,
  using: { provider: SandboxProvider; forkServers?: ForkServers },
): Promise<number[]> {
  const starts: number[] = [];
  for (let time = 0; time < STARTS; time += 1) {
    const start = performance.now();
    const app = await startApp(image, {
      ...using,
      profile: 'strict',
      startTimeoutMs: START_MS,
      requestMs: START_MS,
      lifeMs: 2 * START_MS,
      signal: AbortSignal.timeout(2 * START_MS),
    });
    starts.push(performance.now() - start);
    await app.stop();
  }
  return starts;
}

/** Size on disk of everything that the framework takes from the cache. */
async function layerMiB({ mounts, appLayers, root }: PreparedFramework, cache: string): Promise<number> {
  const sources = [
    ...appLayers,
    ...(root === undefined ? [] : [root]),
    ...mounts.flatMap((mount) =>
      mount.kind === 'layers' ? mount.sources : mount.kind === 'hidden' ? [] : [mount.source],
    ),
  ];
  const cached = [...new Set(sources)].filter((source) => source.startsWith(cache + sep));
  if (cached.length === 0) return 0;
  const { stdout } = await runCommand(['du', '-scm', '--', ...cached]);
  return Number(stdout.toString('utf8').trim().split('\n').at(-1)?.split('\t')[0]);
}
