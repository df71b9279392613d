import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';

export const test = defineCommand({
  name: 'test',
  summary: "run Assay's own checks and tests",
  description: `Type check, lint, import tiers and every test of this checkout. As root on a machine with apt everything
can run, so there a skipped test is a failure.`,
  example: 'assay test --filter packages/sandbox',
  arguments: [],
  options: {
    all: { kind: 'flag', description: 'also what takes long: every framework of the backends' },
    changed: {
      kind: 'flag',
      description:
        'only test files that can be affected by what differs from main (on main: from HEAD), and the checks',
    },
    filter: { kind: 'text', value: 'TEXT', description: 'only test files whose path contains TEXT, and no checks' },
  },
  async run({ all, changed, filter }, { signal, onEvent }) {
    const { existsSync } = await import('node:fs');
    const { join } = await import('node:path');
    const { runSelfTest } = await import('../self-test/run-self-test.ts');
    const { renderSelfTest } = await import('../reporters/render-self-test.ts');
    const root = join(import.meta.dirname, '../../../..');
    if (!existsSync(join(root, 'tsconfig.json')))
      throw new AssayError('BAD_OPTION', {
        option: 'test',
        detail: 'the tests are in the checkout, not in the package',
      });
    const strict = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
    const result = await runSelfTest({ root, strict, all, changed, signal, onEvent, filter });
    const nothing = result.passed + result.failed + result.skipped === 0;
    return {
      exitCode: nothing ? 3 : result.failed === 0 ? 0 : 1,
      document: result,
      render: (terminal) => renderSelfTest(result, terminal),
    };
  },
});
