import { dirname } from 'node:path';
import { LANE_ORIGIN } from '../build-box.ts';
import type { NodeLockfile } from './node-lockfile.ts';
import { NODE } from './node-mounts.ts';

const WORKSPACE = '/workspace';

/** Returns the words of the manager that install everything from the lane. */
export function installArguments({
  manager,
  mode,
}: {
  manager: NodeLockfile['manager'];
  mode: 'lockfile' | 'frozen';
}): string[] {
  const registry = `--registry=${LANE_ORIGIN}/`;
  switch (manager) {
    case 'npm':
      return [
        mode === 'lockfile' ? 'ci' : 'install',
        registry,
        '--replace-registry-host=always',
        '--no-audit',
        '--no-fund',
        '--engine-strict=false',
        '--include=dev',
        ...(mode === 'lockfile' ? [] : ['--no-package-lock', '--no-save']),
      ];
    case 'pnpm':
      return [
        'install',
        '--frozen-lockfile',
        registry,
        '--config.engine-strict=false',
        '--config.strict-peer-dependencies=false',
        '--store-dir=/tmp/pnpm-store',
        '--reporter=append-only',
      ];
    case 'yarn':
      return [
        'install',
        '--frozen-lockfile',
        '--non-interactive',
        '--ignore-engines',
        '--no-progress',
        registry,
        '--cache-folder=/tmp/yarn-cache',
      ];
    case 'berry':
      return ['install'];
    case 'bun':
      return ['install', '--frozen-lockfile', '--linker=hoisted', '--no-progress', registry];
  }
}

/** Settings of yarn 2 and later: `node_modules` instead of its own resolver, and nothing but the lane. */
const BERRY_VARIABLES = {
  YARN_NODE_LINKER: 'node-modules',
  YARN_NPM_REGISTRY_SERVER: LANE_ORIGIN,
  YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  YARN_ENABLE_HARDENED_MODE: 'false',
  YARN_ENABLE_GLOBAL_CACHE: 'false',
  YARN_ENABLE_TELEMETRY: 'false',
  YARN_ENABLE_PROGRESS_BARS: 'false',
  YARN_IGNORE_PATH: 'true',
  YARN_CACHE_FOLDER: '/tmp/yarn-cache',
  // The lane checks what it hands out; these digests are of archives that only the yarn of T0 packs alike.
  YARN_CHECKSUM_BEHAVIOR: 'update',
};

/** Variables of an installation; `nodedir`: where the headers of node lie below `include/`. */
export function installVariables(nodedir: string | null): Record<string, string> {
  return {
    PATH: `${dirname(NODE)}:${WORKSPACE}/node_modules/.bin:/usr/bin:/bin`,
    npm_config_registry: `${LANE_ORIGIN}/`,
    npm_config_cache: '/tmp/npm-cache',
    BUN_INSTALL_CACHE_DIR: '/tmp/bun-cache',
    DO_NOT_TRACK: '1',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
    npm_config_fetch_retries: '1',
    npm_config_manage_package_manager_versions: 'false',
    npm_config_package_manager_strict: 'false',
    ...BERRY_VARIABLES,
    // node-gyp would fetch them otherwise.
    ...(nodedir !== null && { npm_config_nodedir: nodedir }),
    // For tools that download more than packages when installed, or that set up a checkout.
    PUPPETEER_SKIP_DOWNLOAD: '1',
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    CYPRESS_INSTALL_BINARY: '0',
    ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
    HUSKY: '0',
    ADBLOCK: '1',
    DISABLE_OPENCOLLECTIVE: '1',
    CI: '1',
  };
}
