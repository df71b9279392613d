import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { BuildStep, FrameworkRecipe, PreparedFramework, PrepareOptions } from '../../../framework.ts';
import { APP_ENVIRONMENT } from '../app-environment.ts';
import { changesFrom, copyChanges } from '../changed-files.ts';
import { withHostNetwork } from '../host-network-box.ts';
import { layerDigest } from '../layer-digest.ts';
import { missingPrograms } from '../missing-programs.ts';
import { goTools, hostGo, type GoTools } from './go-tools.ts';

const RECIPE = 2;
const ROOT = '/opt/go';
/** Modules, what is compiled of them, and goimports. */
const STORE = '/go';
const IMPORTS_MODULE = join(import.meta.dirname, 'goimports');
const LOCK_FILES = ['go.mod', 'go.sum', 'main.go'];
/**
 * Younger than any build, so that none thinks of noting that it has used what is there, and none throws it away for its
 * age.
 */
const NEVER_STALE = new Date('2100-01-01');

const ENVIRONMENT = {
  PATH: `${ROOT}/bin:${STORE}/bin:/usr/bin:/bin`,
  GOROOT: ROOT,
  GOPATH: '/tmp/go',
  GOMODCACHE: `${STORE}/mod`,
  GOCACHE: `${STORE}/build`,
  GOTOOLCHAIN: 'local',
  GOENV: 'off',
  GOTELEMETRY: 'off',
  CGO_ENABLED: '1',
  // SQLite is one big file, and much faster compiled so.
  CGO_CFLAGS: '-O1',
};

const BUILD: readonly BuildStep[] = [
  { command: 'goimports -w .', tolerant: false, timeoutSec: 60 },
  { command: 'go mod tidy', tolerant: true, timeoutSec: 60 },
  { command: 'go build -o myapp .', tolerant: true, timeoutSec: 300 },
];

/** A layer of packages, on top of those that it needs. */
interface GoLayer {
  directories: string[];
  digest: string;
  tools: GoTools;
}

/** Modules of `lock/go.sum`, compiled; for all but net/http on top of those of `base`. */
export function goRecipe(frameworkFolder: string, base?: string): FrameworkRecipe {
  return {
    unavailable: async () => {
      if (!(await hostGo())) return 'Go 1.23 or later is missing. Install it.';
      return (await missingPrograms(['gcc'])).length === 0
        ? null
        : 'A C compiler is missing, for SQLite. Install gcc and the headers of libc.';
    },
    prepare: (options) => prepareGo(frameworkFolder, base, options),
    place: (path) => (path.includes('/') ? null : path),
  };
}

async function prepareGo(
  frameworkFolder: string,
  base: string | undefined,
  options: PrepareOptions,
): Promise<PreparedFramework> {
  const below = base === undefined ? null : await goLayer(base, null, options);
  const { directories, digest, tools } = await goLayer(frameworkFolder, below, options);
  return {
    variant: `Go ${tools.version.slice('go'.length)}`,
    digest,
    mounts: [
      { kind: 'read-only', source: tools.root, target: ROOT },
      { kind: 'layers', sources: directories.map((each) => join(each, 'go')), target: STORE },
    ],
    appLayers: [join(directories[0] ?? '', 'app')],
    env: { ...APP_ENVIRONMENT, ...ENVIRONMENT, GOFLAGS: '-mod=mod -buildvcs=false', GOPROXY: 'off', GOSUMDB: 'off' },
    build: BUILD,
    built: ['myapp'],
  };
}

async function goLayer(frameworkFolder: string, below: GoLayer | null, options: PrepareOptions): Promise<GoLayer> {
  const tools = below?.tools ?? (await goTools(options));
  const paths = [
    ...LOCK_FILES.map((name) => join(frameworkFolder, 'lock', name)),
    ...['go.mod', 'go.sum', 'tools.go'].map((name) => join(IMPORTS_MODULE, name)),
  ];
  const files = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const digest = layerDigest({ recipe: RECIPE, files, below: below?.digest ?? null, go: tools.version });
  const layer = await prepareLayer(options.cacheDirectory, `bax-go-${digest.slice(0, 32)}`, (draft) =>
    compile({ draft, frameworkFolder, tools, below: below?.directories ?? [] }, options),
  );
  return { directories: [layer, ...(below?.directories ?? [])], digest, tools };
}

interface Compilation {
  draft: string;
  frameworkFolder: string;
  tools: GoTools;
  below: string[];
}

async function compile({ draft, frameworkFolder, tools, below }: Compilation, options: PrepareOptions): Promise<void> {
  const env = { ...ENVIRONMENT, ...tools.fetching, GOFLAGS: '-mod=mod -modcacherw -buildvcs=false' };
  const mounts = [
    { kind: 'read-only' as const, source: tools.root, target: ROOT },
    { kind: 'layers' as const, sources: below.map((each) => join(each, 'go')), target: STORE },
    { kind: 'layers' as const, sources: [], target: '/app' },
    { kind: 'read-only' as const, source: join(frameworkFolder, 'lock'), target: '/opt/lock' },
    { kind: 'read-only' as const, source: IMPORTS_MODULE, target: '/opt/goimports' },
  ];
  await withHostNetwork({ ...options, env, mounts }, async (box) => {
    // The layers below may be less than a second old, and file times are compared by the second.
    if (below.length > 0) await sleep(2000);
    const from = changesFrom();
    await box.run('fetching modules', 'cp /opt/lock/* /app/ && cd /app && go mod tidy && cmp go.sum /opt/lock/go.sum');
    await box.run('compiling modules', 'cd /app && go build -o /tmp/warm .');
    if (below.length === 0)
      await box.run(
        'compiling goimports',
        `cp -r /opt/goimports /tmp/ && cd /tmp/goimports && go build -o ${STORE}/bin/goimports golang.org/x/tools/cmd/goimports`,
      );
    await box.run(
      'collecting',
      `${copyChanges(STORE, ['.'], from, '/tmp/changed')} && mkdir /tmp/app && cp /app/go.sum /tmp/app/`,
    );
    await box.exportTo('/tmp/changed', join(draft, 'go'));
    await box.exportTo('/tmp/app', join(draft, 'app'));
  });
  const cache = join(draft, 'go', 'build');
  for (const name of await readdir(cache, { recursive: true }))
    await utimes(join(cache, name), NEVER_STALE, NEVER_STALE);
}
