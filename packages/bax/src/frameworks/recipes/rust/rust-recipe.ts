import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { withBuildBox } from '@assay/engine/ecosystems/build-box';
import { runOwnTool } from '@assay/lanes/package-lane/run-own-tool';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { Mount } from '@assay/sandbox';
import type { BuildStep, FrameworkRecipe, PreparedFramework, PrepareOptions } from '../../../framework.ts';
import { APP_ENVIRONMENT } from '../app-environment.ts';
import { withHostNetwork } from '../host-network-box.ts';
import { layerDigest } from '../layer-digest.ts';
import { missingPrograms } from '../missing-programs.ts';

const RECIPE = 1;
const ROOT = '/opt/rust';
const CARGO_HOME = '/cargo';
/** The oldest that compiles what the lock names. */
const OLDEST_MINOR = 85;
const ENVIRONMENT = {
  PATH: `${ROOT}/bin:/usr/bin:/bin`,
  CARGO_HOME,
  CARGO_NET_OFFLINE: 'true',
  CARGO_TERM_COLOR: 'never',
  RUST_BACKTRACE: '1',
  CARGO_PROFILE_DEV_DEBUG: '0',
};

/** In place of the address by which cargo calls its index: cargo itself is asked for that. */
const ASK_INDEX = [
  'mkdir -p /tmp/ask/src && cd /tmp/ask && printf \'[package]\\nname = "ask"\\nversion = "0.1.0"\\n[dependencies]\\nitoa = "1"\\n\' > Cargo.toml && touch src/lib.rs',
  'cargo generate-lockfile --quiet $SETTINGS',
  'INDEX=$(sed -n \'s/^source = "\\(.*\\)"$/\\1/p\' Cargo.lock | head -n 1) && test -n "$INDEX"',
].join(' && ');

/** The program that counts lies where `cargo run` would start it. Cargo trusts times, so the source is written anew. */
const BUILD: readonly BuildStep[] = [
  {
    command:
      "mkdir -p src && { echo '#![allow(warnings, unused)]'; cat main.rs; } > src/main.rs.new && mv src/main.rs.new src/main.rs",
    tolerant: false,
    timeoutSec: 10,
  },
  { command: 'cargo build --offline', tolerant: true, timeoutSec: 300 },
];

/** Crates of `lock/Cargo.lock`, compiled. */
export function rustRecipe(frameworkFolder: string): FrameworkRecipe {
  return {
    unavailable: async () => {
      if (!(await hostRust())) return `Rust 1.${OLDEST_MINOR} or later with cargo is missing. Install it.`;
      return (await missingPrograms(['gcc'])).length === 0
        ? null
        : 'A C compiler is missing, for SQLite and to link. Install gcc and the headers of libc.';
    },
    prepare: (options) => prepareRust(frameworkFolder, options),
    place: (path) => (path === 'main.rs' ? path : null),
  };
}

interface HostRust {
  root: string;
  version: string;
}

async function hostRust(): Promise<HostRust | null> {
  const [root, version] = await Promise.all(
    [['--print', 'sysroot'], ['--version']].map(
      async (given) => (await runOwnTool(['rustc', ...given], process.env))?.trim() ?? '',
    ),
  );
  const [, release = '', minor = '0'] = /^rustc (1\.(\d+)\.\d+)/.exec(version ?? '') ?? [];
  // A Rust from the system's packages lies among other files of /usr, and cannot be mounted alone.
  return root && root !== '/usr' && Number(minor) >= OLDEST_MINOR ? { root, version: release } : null;
}

async function prepareRust(frameworkFolder: string, options: PrepareOptions): Promise<PreparedFramework> {
  const rust = await hostRust();
  if (!rust) throw new AssayError('INTERPRETER_MISSING', { language: 'Rust', wanted: `1.${OLDEST_MINOR}` });
  const files = await Promise.all(
    ['manifest/Cargo.toml', 'lock/Cargo.lock'].map((path) => readFile(join(frameworkFolder, path), 'utf8')),
  );
  const digest = layerDigest({ recipe: RECIPE, files, rust: rust.version });
  const layer = await prepareLayer(options.cacheDirectory, `bax-rust-${digest.slice(0, 32)}`, (draft) =>
    compile({ draft, frameworkFolder, rust }, options),
  );
  return {
    variant: `Rust ${rust.version}`,
    digest,
    mounts: [
      { kind: 'read-only', source: rust.root, target: ROOT },
      { kind: 'layers', sources: [join(layer, 'cargo')], target: CARGO_HOME },
    ],
    appLayers: [join(layer, 'app')],
    env: { ...APP_ENVIRONMENT, ...ENVIRONMENT },
    build: BUILD,
    built: ['target/debug/server'],
    startCommand: 'target/debug/server',
  };
}

/** Fetched with a network, compiled without: crates bring build scripts. */
async function compile(
  { draft, frameworkFolder, rust }: { draft: string; frameworkFolder: string; rust: HostRust },
  options: PrepareOptions,
): Promise<void> {
  const toolchain: Mount = { kind: 'read-only', source: rust.root, target: ROOT };
  const [cargo, app] = [join(draft, 'cargo'), join(draft, 'app')];
  const configuration = join(process.env['CARGO_HOME'] ?? join(homedir(), '.cargo'), 'config.toml');
  const configured = await access(configuration).then(
    () => true,
    () => false,
  );
  const mounts: Mount[] = [
    toolchain,
    { kind: 'read-only', source: frameworkFolder, target: '/opt/framework' },
    { kind: 'layers', sources: [], target: CARGO_HOME },
    ...(configured ? [{ kind: 'read-only' as const, source: configuration, target: '/opt/config.toml' }] : []),
  ];
  const fetching = {
    ...ENVIRONMENT,
    CARGO_NET_OFFLINE: 'false',
    SETTINGS: configured ? '--config /opt/config.toml' : '',
  };
  await withHostNetwork({ ...options, mounts, env: fetching }, async (box) => {
    const place =
      'mkdir -p /tmp/app/src && cd /tmp/app && cp /opt/framework/manifest/Cargo.toml . && sed "s#INDEX#$INDEX#" /opt/framework/lock/Cargo.lock > Cargo.lock';
    await box.run(
      'fetching crates',
      `${ASK_INDEX} && ${place} && echo 'fn main() {}' > src/main.rs && cargo fetch --locked $SETTINGS`,
    );
    await box.exportTo(CARGO_HOME, cargo);
    await box.exportTo('/tmp/app', join(draft, 'manifests'));
  });
  const common = { signal: options.signal, log: options.progress };
  const offline: Mount[] = [
    toolchain,
    { kind: 'layers', sources: [cargo], target: CARGO_HOME },
    { kind: 'layers', sources: [join(draft, 'manifests')], target: '/app' },
  ];
  await withBuildBox(
    { provider: options.provider, mounts: offline, env: ENVIRONMENT, minutes: 30, ...common },
    async (box) => {
      await box.run('compiling crates', ['cargo', 'build', '--offline', '--locked'], { cwd: '/app' });
      await box.exportTo('/app', app);
    },
  );
}
