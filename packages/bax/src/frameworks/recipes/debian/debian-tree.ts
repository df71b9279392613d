import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { runCommand, type Mount } from '@assay/sandbox';
import type { PrepareOptions } from '../../../framework.ts';
import { withHostNetwork, type HostNetworkBox } from '../host-network-box.ts';
import { layerDigest } from '../layer-digest.ts';
import { missingPrograms } from '../missing-programs.ts';
import { aptMirrors } from './apt-mirrors.ts';
import type { DebianLock } from './debian-lock.ts';
import { withDebianPrograms } from './debian-programs.ts';

/** Counts as part of a tree: another number, and all are made anew. */
const RECIPE = 1;
const APT_CONFIGURATION = '/etc/apt';
const APT_HELPER = '/usr/lib/apt/apt-helper';
const [PACKAGES, ROOT, LIST, SUMS] = ['/tmp/packages', '/tmp/root', '/tmp/list', '/tmp/sums'];
/** Only people read them. */
const LEFT_OUT = ['doc', 'man', 'info', 'locale', 'lintian', 'bug']
  .map((name) => `--exclude=./usr/share/${name}/*`)
  .join(' ');
const SHOWN = 5;

/** Why {@link debianTree} cannot work on this machine, and what to do about it; null when it can. Fetches nothing. */
export async function debianUnavailable(): Promise<string | null> {
  if (process.arch !== 'x64') return `Packages of Debian are pinned for amd64, and this machine is ${process.arch}.`;
  const missing = await missingPrograms(['apt-get', 'dpkg-deb']);
  if (missing.length > 0)
    return `${missing.join(' and ')} is missing: packages of Debian are fetched by apt and unpacked by dpkg. Install apt and dpkg.`;
  return (await aptMirrors()).length > 0
    ? null
    : 'apt has no source of Debian packages over HTTP. Add one for Debian below /etc/apt/sources.list.d.';
}

/**
 * A whole system of the packages of a lock, for `root` of a sandbox: fetched by apt from where it is configured to on
 * this machine, compared with the lock and unpacked. No script of a package runs; what they would have made is made
 * here (certificates, cache of the linker) or stands in the lock's `links`. Holds the commands of `options.programs`,
 * too. Made once for a machine; belongs to root where the caller is root, and everybody may read it. `digest` is sha256
 * hex. Throws `UPSTREAM_UNKNOWN`, `LANE_FAILED` when a package is not to be had, and what sandboxes throw. `mirrors`
 * take the place of those of this machine.
 */
export async function debianTree(
  packages: DebianLock,
  options: PrepareOptions,
  mirrors?: readonly string[],
): Promise<{ root: string; digest: string }> {
  const lock = await withDebianPrograms(packages, options.programs ?? []);
  const digest = layerDigest({ recipe: RECIPE, lock });
  const layer = await prepareLayer(options.cacheDirectory, `bax-debian-${digest.slice(0, 32)}`, async (draft) => {
    const sources = mirrors ?? (await aptMirrors());
    if (sources.length === 0)
      throw new AssayError('UPSTREAM_UNKNOWN', { lane: 'Debian packages', detail: 'apt has no source over HTTP' });
    await makeTree(join(draft, 'root'), { lock, sources }, options);
  });
  return { root: join(layer, 'root'), digest };
}

async function makeTree(
  target: string,
  { lock, sources }: { lock: DebianLock; sources: readonly string[] },
  options: PrepareOptions,
): Promise<void> {
  const mounts: Mount[] = [{ kind: 'read-only', source: APT_CONFIGURATION, target: APT_CONFIGURATION }];
  await withHostNetwork({ ...options, env: {}, mounts }, async (box) => {
    await fetchPackages(box, lock, sources);
    await box.run('unpacking packages', unpack(lock));
    await box.exportTo(ROOT, target);
  });
  // Programs in a sandbox could change files that belong to the user of sandboxes.
  if (process.getuid?.() !== 0) return;
  const { exitCode, stderr } = await runCommand(['chown', '--recursive', '--no-dereference', '0:0', '--', target]);
  if (exitCode !== 0)
    throw new AssayError('SANDBOX_FILE_FAILED', {
      path: target,
      detail: stderr.toString().trim().split('\n')[0] ?? '',
    });
}

/** Into the box, each file named by its digest. A package that one mirror lacks is asked of the next. */
async function fetchPackages(
  box: HostNetworkBox,
  { packages, suite }: DebianLock,
  mirrors: readonly string[],
): Promise<void> {
  await box.sandbox.writeFile(SUMS, packages.map(({ sha256 }) => `${sha256}  ${PACKAGES}/${sha256}.deb\n`).join(''));
  const missing = async (): Promise<DebianLock['packages']> => {
    const { stdout } = await box.sandbox.exec(`sha256sum --check ${SUMS} 2>/dev/null`);
    const there = new Set([...stdout.matchAll(/([0-9a-f]{64})\.deb: OK$/gm)].map(([, sha256]) => sha256));
    return packages.filter(({ sha256 }) => !there.has(sha256));
  };
  let [left, said] = [packages, ''];
  for (const mirror of mirrors) {
    await box.sandbox.writeFile(
      LIST,
      left.map(({ path, sha256 }) => `${mirror}${path}\n${PACKAGES}/${sha256}.deb\nSHA256:${sha256}\n`).join(''),
    );
    const result = await box.sandbox.exec(
      `mkdir -p ${PACKAGES} && xargs -n 300 ${APT_HELPER} -o Acquire::Retries=3 download-file < ${LIST} 2>&1`,
    );
    left = await missing();
    if (left.length === 0) return;
    said ||= result.stdout.split('\n').find((line) => /^(E:|Err:)/.test(line)) ?? '';
  }
  throw notToBeHad(left, suite, said);
}

function notToBeHad(left: DebianLock['packages'], suite: string, said: string): AssayError {
  const names = left
    .slice(0, SHOWN)
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');
  const more = left.length > SHOWN ? ` and ${left.length - SHOWN} more` : '';
  const advice = `Mirrors drop old versions when ${suite} gets a point release: make the lock anew with recipes/debian/lock-packages.ts, or give apt a source that keeps them.`;
  return new AssayError('LANE_FAILED', {
    lane: 'package',
    detail: `${names}${more} cannot be fetched by apt (${said.slice(0, 200) || 'no answer'}). ${advice}`,
  });
}

/** A shell line. The links of the top, such as /bin, come with base-files and must be there first. */
function unpack({ packages, links }: DebianLock): string {
  const files = packages
    .toSorted((a, b) => Number(b.name === 'base-files') - Number(a.name === 'base-files'))
    .map(({ sha256 }) => sha256);
  const certificates = `${ROOT}/usr/share/ca-certificates`;
  return [
    `mkdir -m 755 ${ROOT}`,
    `for name in ${files.join(' ')}; do dpkg-deb --fsys-tarfile ${PACKAGES}/$name.deb > /tmp/data.tar && tar --extract --file=/tmp/data.tar --directory=${ROOT} --no-same-owner --keep-directory-symlink ${LEFT_OUT} || exit 1; done`,
    ...Object.entries(links).map(
      ([path, to]) => `mkdir -p ${quote(join(ROOT, path, '..'))} && ln -sfT ${quote(to)} ${quote(join(ROOT, path))}`,
    ),
    `if [ -d ${certificates} ]; then mkdir -p ${ROOT}/etc/ssl/certs && find ${certificates} -name '*.crt' | sort | xargs cat > ${ROOT}/etc/ssl/certs/ca-certificates.crt; fi`,
    `/sbin/ldconfig -X -r ${ROOT}`,
    `chmod -R u+rwX,go+rX,go-w,a-st ${ROOT}`,
  ].join(' && ');
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
