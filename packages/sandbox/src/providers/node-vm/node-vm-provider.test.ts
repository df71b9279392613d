import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { describeProgramProvider, describeSubmissionForms, NO_MODULES_FORMS, SUBMISSION_FORMS } from '@assay/testkit';
import { NodeVMProvider } from './node-vm-provider.ts';

describeProgramProvider('node-vm', () => new NodeVMProvider());
describeSubmissionForms('node-vm', new NodeVMProvider(), [...SUBMISSION_FORMS, ...NO_MODULES_FORMS]);

test('it says once per process that it is no boundary', async () => {
  const module = JSON.stringify(new URL('node-vm-provider.ts', import.meta.url).href);
  const script = `const { NodeVMProvider } = await import(${module}); for (let time = 0; time < 2; time += 1) { const sandbox = await new NodeVMProvider().create(); await sandbox.exec('1'); await sandbox.destroy(); }`;
  const { stderr, exitCode } = await runCommand([process.execPath, '--input-type=module', '--eval', script], {
    timeoutMs: 60_000,
  });
  assert.equal(exitCode, 0, stderr.toString('utf8'));
  assert.equal(stderr.toString('utf8').split('[ASSAY_NODE_VM]').length, 2);
});
