import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attack, INSTANCES } from '../../../testkit/src/conformance/shared-kernel-attacks.ts';
import { bubblewrapProvider, runcProvider, runscProvider, type Mount } from '../index.ts';
import { sandboxOwner } from '../owner.ts';

/** One run of this fixture, as JSON on its output. */
export interface UnmappedFiles {
  limits: string;
  /** Whether two sandboxes run as one user of the host. */
  oneUser: boolean;
  /** The output of a command that reads and writes mounted files. */
  files: string;
  /** The host's copy of a file that the command changed in its layer. */
  layer: string;
  /** Another sandbox and another process of the same one, after one process took all inotify instances. */
  instances: { neighbour: string; same: string } | null;
}

const PROVIDERS = { bubblewrap: bubblewrapProvider, runc: runcProvider, runsc: runscProvider };

const [providerName = '', type = '', directory = ''] = process.argv.slice(2);
const provider = PROVIDERS[providerName as keyof typeof PROVIDERS]();
const source = join(directory, 'source');
mount();
writeFileSync(join(source, 'file'), 'of the host\n');
for (const path of [source, join(source, 'file')]) chownSync(path, sandboxOwner?.uid ?? 0, sandboxOwner?.gid ?? 0);
chmodSync(source, 0o755);

const mounts: Mount[] = [
  { kind: 'read-only', source, target: '/opt/shown' },
  { kind: 'layers', sources: [source], target: '/data' },
];
const [first, second] = [await provider.create({ mounts }), await provider.create({ mounts })];
const seen = await first.exec(
  `cat /opt/shown/file; (echo x > /opt/shown/file) 2>/dev/null || echo refused
  echo changed > /data/file; cat /data/file; id -u`,
);
const instances = providerName === 'runsc' ? null : await attack(provider, { mounts }, INSTANCES);
const result: UnmappedFiles = {
  limits: provider.limits ?? '',
  oneUser: first.hostOwner?.uid === second.hostOwner?.uid,
  files: seen.stdout,
  layer: execFileSync('cat', [join(source, 'file')], { encoding: 'utf8' }),
  instances,
};
await Promise.all([first.destroy(), second.destroy()]);
process.stdout.write(`${JSON.stringify(result)}\n`);

/** Mounts the file system at `source`. It is gone with this process, whose mount namespace is its own. */
function mount(): void {
  mkdirSync(source);
  if (type !== 'overlay') return void execFileSync('mount', ['-t', type, type, source]);
  const below = join(directory, 'below');
  mkdirSync(below);
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', below]);
  const [lower, upper, work] = ['lower', 'upper', 'work'].map((name) => join(below, name));
  for (const path of [lower, upper, work]) mkdirSync(path ?? '');
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', options, source]);
}
