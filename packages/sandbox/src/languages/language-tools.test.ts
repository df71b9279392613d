import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseProvider } from '../detect/choose-provider.ts';
import { languageTools } from './language-tools.ts';

const SAY_VERSION = {
  javascript: 'node --version',
  python: 'python3 --version',
  go: 'go version',
  rust: 'rustc --version',
} as const;

for (const [language, command] of Object.entries(SAY_VERSION) as [keyof typeof SAY_VERSION, string][]) {
  test(`${command} runs in a sandbox that was given the tools of ${language}`, async (context) => {
    const provider = await chooseProvider('bubblewrap');
    const tools = await languageTools([language], provider);
    if (tools.mounts.length === 0 && language !== 'python') return context.skip('not on this machine');
    const sandbox = await provider.create(tools);
    try {
      const { exitCode, stdout, stderr } = await sandbox.exec(command);
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /\d+\.\d+/);
    } finally {
      await sandbox.destroy();
    }
  });
}

test('several languages share a sandbox, and one provider that does not hold this system gets nothing', async () => {
  const provider = await chooseProvider('bubblewrap');
  const tools = await languageTools(['javascript', 'typescript', 'python'], provider);
  const sandbox = await provider.create(tools);
  try {
    const { stdout } = await sandbox.exec('node -p 1+1; python3 -c "print(2+2)"');
    assert.equal(stdout, '2\n4\n');
  } finally {
    await sandbox.destroy();
  }
  assert.deepEqual(
    await languageTools(['python'], {
      create: () => Promise.reject(new Error('unused')),
      destroy: () => Promise.resolve(),
    }),
    { mounts: [], env: {} },
  );
});
