import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withBuildBox } from '@assay/engine/ecosystems/build-box';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { AssayError } from '@assay/protocol';
import type { Mount } from '@assay/sandbox';
import type { BuildStep, FrameworkRecipe, PreparedFramework, PrepareOptions } from '../../../framework.ts';
import { APP_ENVIRONMENT } from '../app-environment.ts';
import { DebianLock } from '../debian/debian-lock.ts';
import { DEBIAN_PROGRAMS } from '../debian/debian-programs.ts';
import { debianTree, debianUnavailable } from '../debian/debian-tree.ts';
import { layerDigest } from '../layer-digest.ts';

/** Counts as part of a layer: another number, and all are made anew. */
const RECIPE = 1;
const PLACE = '/opt/assay';
const SHIM = join(import.meta.dirname, 'rails-8-shim.rb');
const NEW_APP = join(import.meta.dirname, 'new-app.sh');

/** Short backtraces, so that the last lines of the output say why an app died. */
const ENVIRONMENT = { RUBYOPT: '--backtrace-limit=0' };

/** As upstream's image is built. */
const BUILD: readonly BuildStep[] = [
  { command: '! { test -e failed && echo the response held no code; }', tolerant: false, timeoutSec: 10 },
  { command: "sed -i '/config\\.assets/s/^/# /' config/environments/development.rb", tolerant: false, timeoutSec: 10 },
  { command: 'bin/rails db:create db:migrate', tolerant: true, timeoutSec: 120 },
];

/**
 * Rails as Debian packages it: the system of `lock/debian-packages.json`, and in it a new app with the gems of
 * `lock/Gemfile`.
 */
export function railsRecipe(frameworkFolder: string): FrameworkRecipe {
  return {
    unavailable: debianUnavailable,
    programs: DEBIAN_PROGRAMS,
    prepare: (options) => prepareRails(join(frameworkFolder, 'lock'), options),
    // These are the app's own, which every start needs: a program must be executable, and no answer can say that a file
    // is.
    place: (path) => (/^(?:bin\/.*|config\/boot\.rb|Gemfile(?:\.lock)?)$/.test(path) ? null : path),
  };
}

async function prepareRails(lockFolder: string, options: PrepareOptions): Promise<PreparedFramework> {
  const lock = DebianLock.parse(JSON.parse(await readFile(join(lockFolder, 'debian-packages.json'), 'utf8')));
  const gemfile = join(lockFolder, 'Gemfile');
  const files = await Promise.all([gemfile, SHIM, NEW_APP].map((path) => readFile(path, 'utf8')));
  const { root, digest: tree } = await debianTree(lock, options);
  // The same whatever commands the tree holds for a scenario.
  const app = layerDigest({ recipe: RECIPE, files, lock });
  const mounts: Mount[] = [{ kind: 'read-only', source: SHIM, target: `${PLACE}/rails-8-shim.rb` }];
  const layer = await prepareLayer(options.cacheDirectory, `bax-rails-${app.slice(0, 32)}`, (draft) =>
    makeApp(join(draft, 'app'), { root, mounts, gemfile }, options),
  );
  return {
    variant: `Rails ${seriesOf(lock, 'ruby-rails')} (shim), Ruby ${seriesOf(lock, 'ruby')}, Debian ${seriesOf(lock, 'base-files').split('.')[0]}`,
    digest: layerDigest({ app, tree }),
    mounts,
    root,
    appLayers: [join(layer, 'app')],
    env: { ...APP_ENVIRONMENT, ...ENVIRONMENT },
    build: BUILD,
    over: {},
    built: ['.'],
    startCommand: 'bin/rails server --binding 0.0.0.0 --port 5000',
  };
}

/** `7.2` of a package with the version `2:7.2.2.2+dfsg-2`. Throws `IMPOSSIBLE` for one that is not in the lock. */
function seriesOf({ packages }: DebianLock, name: string): string {
  const [, series] = /^(?:\d+:)?(\d+\.\d+)/.exec(packages.find((each) => each.name === name)?.version ?? '') ?? [];
  if (series === undefined) throw new AssayError('IMPOSSIBLE', { detail: `the lock of Rails does not name ${name}` });
  return series;
}

interface NewApp {
  root: string;
  mounts: readonly Mount[];
  gemfile: string;
}

async function makeApp(
  target: string,
  { root, mounts, gemfile }: NewApp,
  { provider, signal, progress }: PrepareOptions,
): Promise<void> {
  const inside: Mount[] = [
    ...mounts,
    { kind: 'read-only', source: gemfile, target: `${PLACE}/Gemfile` },
    { kind: 'read-only', source: NEW_APP, target: `${PLACE}/new-app.sh` },
    { kind: 'layers', sources: [], target: '/app' },
  ];
  await withBuildBox({ provider, mounts: inside, root, env: {}, signal, log: progress }, async (box) => {
    await box.run('making a new Rails app', ['/bin/sh', `${PLACE}/new-app.sh`]);
    await box.exportTo('/app', target);
  });
}
