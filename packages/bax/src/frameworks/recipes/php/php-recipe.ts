import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { AssayError } from '@assay/protocol';
import { withBuildBox } from '@assay/engine/ecosystems/build-box';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { BuildStep, FrameworkRecipe, PreparedFramework, PrepareOptions } from '../../../framework.ts';
import { APP_ENVIRONMENT } from '../app-environment.ts';
import { DebianLock } from '../debian/debian-lock.ts';
import { DEBIAN_PROGRAMS } from '../debian/debian-programs.ts';
import { debianTree, debianUnavailable } from '../debian/debian-tree.ts';
import { layerDigest } from '../layer-digest.ts';

/** Counts as part of a layer: another number, and all are made anew. */
const RECIPE = 1;
const EXTENSIONS = join(import.meta.dirname, 'extensions.ini');
const CHECK = join(import.meta.dirname, 'is-app.sh');
const PHP = /^php(\d+\.\d+)-cli$/;
/** Where an answer's steps find the project that it is written into. */
const PROJECT = '/opt/project';
const IS_APP = '/opt/is-app.sh';

export interface PhpRecipeOptions {
  /** Empty directories of a new project. */
  directories: readonly string[];
  /** Files of a new project of which an answer must bring another, or it brings no app. */
  entries: readonly string[];
  /** Where in the system the files of `defaults/` lie, which Debian leaves out. */
  defaults: string;
  build: readonly BuildStep[];
}

/** PHP and packages of `lock/debian-packages.json`, with what a new project holds in `project/`. */
export function phpRecipe(frameworkFolder: string, options: PhpRecipeOptions): FrameworkRecipe {
  return {
    unavailable: debianUnavailable,
    programs: DEBIAN_PROGRAMS,
    prepare: (prepareOptions) => preparePhp(frameworkFolder, options, prepareOptions),
  };
}

async function preparePhp(
  frameworkFolder: string,
  { directories, entries, defaults, build }: PhpRecipeOptions,
  options: PrepareOptions,
): Promise<PreparedFramework> {
  const lock = DebianLock.parse(
    JSON.parse(await readFile(join(frameworkFolder, 'lock', 'debian-packages.json'), 'utf8')),
  );
  const [files, system] = await Promise.all([
    textsOf(frameworkFolder, ['project', 'defaults'], [EXTENSIONS, CHECK]),
    debianTree(lock, options),
  ]);
  const digest = layerDigest({ recipe: RECIPE, files, directories, system: system.digest });
  const project = join(frameworkFolder, 'project');
  const layer = await prepareLayer(options.cacheDirectory, `bax-php-${digest.slice(0, 32)}`, (draft) =>
    copyProject(draft, { project, directories }, options),
  );
  const { release, debian } = releasesOf(lock);
  return {
    variant: `PHP ${release}, Debian ${debian}`,
    digest,
    root: system.root,
    mounts: [
      { kind: 'read-only', source: EXTENSIONS, target: `/etc/php/${release}/cli/conf.d/extensions.ini` },
      { kind: 'read-only', source: join(frameworkFolder, 'defaults'), target: defaults },
      { kind: 'read-only', source: project, target: PROJECT },
      { kind: 'read-only', source: CHECK, target: IS_APP },
    ],
    appLayers: [join(layer, 'app')],
    env: APP_ENVIRONMENT,
    build: [{ command: ['sh', IS_APP, PROJECT, ...entries].join(' '), tolerant: false, timeoutSec: 10 }, ...build],
    built: ['.'],
  };
}

/** The contents of all files below the folders, and of more files, by path. */
async function textsOf(
  directory: string,
  folders: readonly string[],
  extra: readonly string[],
): Promise<Record<string, string>> {
  const found = await Promise.all(
    folders.map((folder) => readdir(join(directory, folder), { recursive: true, withFileTypes: true })),
  );
  const paths = found
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(
      [...paths, ...extra].map(async (path) => [relative(directory, path), await readFile(path, 'utf8')] as const),
    ),
  );
}

/** The releases of PHP, such as 8.4, and Debian, such as 13. Throws `IMPOSSIBLE` for a lock that lacks one of them. */
function releasesOf({ packages }: DebianLock): { release: string; debian: string } {
  const release = packages.flatMap(({ name }) => PHP.exec(name)?.[1] ?? [])[0];
  const debian = /^\d+/.exec(packages.find(({ name }) => name === 'base-files')?.version ?? '')?.[0];
  if (release === undefined || debian === undefined)
    throw new AssayError('IMPOSSIBLE', { detail: 'the lock of PHP holds no PHP, or no base-files' });
  return { release, debian };
}

/** Through a box, so that everything belongs to the user of sandboxes, as what lies under a writable layer must. */
async function copyProject(
  draft: string,
  { project, directories }: { project: string; directories: readonly string[] },
  { provider, signal, progress }: PrepareOptions,
): Promise<void> {
  const common = { signal, log: progress };
  await withBuildBox(
    { provider, mounts: [{ kind: 'read-only', source: project, target: PROJECT }], env: {}, ...common },
    async (box) => {
      await box.run('placing the project', [
        '/bin/sh',
        '-c',
        `cp -R ${PROJECT} /tmp/app && cd /tmp/app && mkdir -p "$@" && chmod -R u=rwX,go=rX .`,
        'sh',
        ...directories,
      ]);
      await box.exportTo('/tmp/app', join(draft, 'app'));
    },
  );
}
