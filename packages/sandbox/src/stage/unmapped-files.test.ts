import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '../process/run-command.ts';
import type { UnmappedFiles } from './unmapped-files.fixture.ts';

const FIXTURE = join(import.meta.dirname, 'unmapped-files.fixture.ts');

/** Runs the fixture in a mount namespace of its own, so that nobody else meets the file system. */
async function run(provider: string, type: string): Promise<UnmappedFiles> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-unmapped-'));
  chmodSync(directory, 0o755);
  try {
    const argv = ['unshare', '--mount', '--', process.execPath, FIXTURE, provider, type, directory];
    const result = await runCommand(argv, { timeoutMs: 300_000, env: { PATH: process.env['PATH'] ?? '' } });
    assert.equal(result.exitCode, 0, String(result.stderr));
    return JSON.parse(String(result.stdout)) as UnmappedFiles;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const files = 'of the host\nrefused\nchanged\n1000\n';
const layer = 'of the host\n';

describe(
  'files of a file system that cannot show them as files of another user',
  { skip: process.getuid?.() === 0 ? false : 'rootless no files are shown as those of another user' },
  () => {
    for (const provider of ['bubblewrap', 'runc', 'runsc']) {
      test(`are there all the same: ${provider}`, async () => {
        // Sandboxes of one user share what the kernel counts for it: `limits: partial` says so.
        const instances = provider === 'runsc' ? null : { neighbour: 'taken', same: 'taken' };
        assert.deepEqual(await run(provider, 'ramfs'), { limits: 'partial', oneUser: true, files, layer, instances });
      });
    }

    test('are there all the same: those of an overlay', async () => {
      const instances = { neighbour: 'taken', same: 'taken' };
      assert.deepEqual(await run('bubblewrap', 'overlay'), {
        limits: 'partial',
        oneUser: true,
        files,
        layer,
        instances,
      });
    });

    test('control: with one that can, each sandbox is a user of its own', async () => {
      const instances = { neighbour: 'free', same: 'taken' };
      assert.deepEqual(await run('bubblewrap', 'tmpfs'), { limits: 'full', oneUser: false, files, layer, instances });
    });
  },
);
