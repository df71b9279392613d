import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CATALOGUE } from '../providers/catalogue.ts';
import { chooseProvider } from './choose-provider.ts';
import { detectProviders } from './detect-providers.ts';
import { findCommand, probeProvider } from './probe-provider.ts';

const canInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

describe('providers of this machine', () => {
  test('are reported with what they offer', async () => {
    const reports = await detectProviders();
    assert.deepEqual(
      reports.map(({ name, isolation }) => [name, isolation]),
      [
        ['runsc', 'gvisor'],
        ['bubblewrap', 'namespace'],
        ['runc', 'namespace'],
      ],
    );
    for (const report of reports) {
      assert.equal(report.startMs !== null && report.startMs > 0, report.available);
      assert.ok(report.available || report.problems.length > 0);
      // Where everything can be installed nothing may be missing: else its whole suite would be skipped unseen.
      if (canInstall) assert.ok(report.available, `${report.name}: ${report.problems.join('; ')}`);
    }
  });

  test('can be chosen by name and by level', async () => {
    for (const [name, expected] of [
      ['bubblewrap', 'bubblewrap'],
      ['namespace', 'bubblewrap'],
      ['bwrap', 'bubblewrap'],
    ] as const) {
      const provider = await chooseProvider(name);
      assert.deepEqual([provider.name, provider.isolation], [expected, 'namespace']);
    }
    await assert.rejects(chooseProvider('no-such-provider'), { code: 'UNKNOWN_PROVIDER' });
  });

  test('without a name, the strongest that has no problem is chosen', async () => {
    const reports = await detectProviders();
    const provider = await chooseProvider();
    assert.equal(provider.name, reports.find(({ available, problems }) => available && problems.length === 0)?.name);
  });

  test('one whose command is missing says what to install', async () => {
    const [entry = assert.fail()] = CATALOGUE;
    const probe = await probeProvider({ ...entry, commands: ['no-such-command-here'] });
    assert.deepEqual(probe, {
      starts: false,
      problems: ['not installed: no-such-command-here'],
      install: entry.install,
    });
    assert.equal(findCommand('no-such-command-here'), null);
    assert.ok(findCommand('sh'));
  });

  test('one that does not start says why', async () => {
    const [entry = assert.fail()] = CATALOGUE;
    const broken = {
      ...entry,
      needsRoot: false,
      commands: [],
      make: () => ({ create: () => Promise.reject(new Error('it is broken')), destroy: () => Promise.resolve() }),
    };
    assert.deepEqual(await probeProvider(broken), { starts: false, problems: ['it is broken'] });
  });
});
