import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { bundleDigest, withDigest } from './bundle-digest.ts';
import { readTask } from './read-task.ts';
import { samplePythonContent } from './sample-content.ts';
import type { Task } from './task.ts';
import { writeTask } from './write-task.ts';

describe('archives of a bundle', () => {
  let home: string;
  let original: string;
  let counter = 0;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-archive-test-'));
    original = join(home, 'original');
    await writeTask(original, await samplePythonContent(home));
  });
  after(() => rm(home, { recursive: true, force: true }));

  type Member = {
    path: string;
    type?: 'File' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO' | 'Directory';
    linkpath?: string;
  };

  function archive(members: Member[]): Buffer {
    const blocks = members.map(({ path, type = 'File', linkpath = '' }) => {
      const header = new Header({ path, type, linkpath, mode: 0o644, size: 0, uid: 0, gid: 0, mtime: new Date(0) });
      header.encode();
      return header.block ?? Buffer.alloc(0);
    });
    return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
  }
  /** Reads the sample bundle with this archive of the repository, under a digest that fits. */
  const readWith = async (bytes: Buffer): Promise<Task> => {
    const bundle = join(home, `copy-${counter++}`);
    await cp(original, bundle, { recursive: true });
    await writeFile(join(bundle, 'environment', 'repo.tar.gz'), bytes);
    const toml = join(bundle, 'task.toml');
    await writeFile(toml, withDigest(await readFile(toml, 'utf8'), await bundleDigest(bundle)));
    return readTask(bundle);
  };
  const refused = (bytes: Buffer): Promise<void> => assert.rejects(readWith(bytes), { code: 'TASK_UNSAFE' });

  test('plain members and links that nothing lies behind are let through', async () => {
    await readWith(
      archive([
        { path: './', type: 'Directory' },
        { path: './a' },
        { path: 'b/c' },
        { path: 'link', type: 'SymbolicLink', linkpath: '/etc' },
        { path: 'd', type: 'Link', linkpath: 'a' },
      ]),
    );
  });

  for (const [name, members] of Object.entries<Member[]>({
    'a member that climbs': [{ path: '../x' }],
    'a member that climbs inside': [{ path: 'a/../../x' }],
    'an absolute member': [{ path: '/etc/x' }],
    'a member behind a link': [{ path: 'link', type: 'SymbolicLink', linkpath: '/etc' }, { path: 'link/passwd' }],
    'a member over a link': [{ path: 'link', type: 'SymbolicLink', linkpath: '/etc/passwd' }, { path: './link' }],
    'a hard link to elsewhere': [{ path: 'x', type: 'Link', linkpath: '../../etc/passwd' }],
    'a hard link to a link': [
      { path: 'link', type: 'SymbolicLink', linkpath: '/etc/passwd' },
      { path: 'x', type: 'Link', linkpath: 'link' },
    ],
    'a device': [{ path: 'x', type: 'CharacterDevice' }],
    'a pipe': [{ path: 'x', type: 'FIFO' }],
  })) {
    test(`${name} is refused`, () => refused(archive(members)));
  }

  test('what is no archive is refused', async () => {
    await refused(Buffer.from('not a tar'));
    const whole = archive([{ path: 'a' }]);
    await refused(whole.subarray(0, whole.length - 8));
  });
});
