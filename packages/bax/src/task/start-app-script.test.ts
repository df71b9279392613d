import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bubblewrapProvider } from '@assay/sandbox';
import { startAppScript } from './start-app-script.ts';

const provider = bubblewrapProvider();

/** Runs the script in a sandbox with these files. Returns its output and exit code. */
async function run(
  codeFile: string | null,
  build: { command: string; tolerant: boolean; timeoutSec: number }[],
): Promise<{ stdout: string; exitCode: number }> {
  const sandbox = await provider.create({ mounts: [{ kind: 'layers', sources: [], target: '/app' }] });
  try {
    await sandbox.writeFile('/workspace/app.txt', 'mine');
    await sandbox.writeFile('/workspace/more/beside.txt', 'beside');
    await sandbox.writeFile('/workspace/node_modules/large.txt', 'large');
    await sandbox.writeFile('/app/there.txt', 'there');
    await sandbox.writeFile(
      '/tmp/start-app',
      startAppScript({ codeFile, startCommand: "echo 'it'\"'\"'s up' && find . -type f | sort" }, { build }),
    );
    return await sandbox.exec('sh /tmp/start-app');
  } finally {
    await sandbox.destroy();
  }
}

describe('start-app', () => {
  test('of one file places that, and starts the app', async () => {
    assert.equal((await run('app.txt', [])).stdout, "it's up\n./app.txt\n./there.txt\n");
  });

  test('of several places all but packages, and builds first', async () => {
    const { stdout } = await run(null, [{ command: "echo built > 'a b' && false", tolerant: true, timeoutSec: 1 }]);
    assert.equal(stdout, "it's up\n./a b\n./app.txt\n./more/beside.txt\n./there.txt\n");
  });

  test('nothing starts when a build fails', async () => {
    assert.deepEqual(
      (({ exitCode, stdout }) => [exitCode, stdout])(
        await run('app.txt', [{ command: 'exit 3', tolerant: false, timeoutSec: 1 }]),
      ),
      [3, ''],
    );
  });
});
