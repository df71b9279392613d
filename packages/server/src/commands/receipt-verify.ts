import { defineCommand } from '../command.ts';
import { scenarioTasks } from '../scenario-tasks.ts';
import { given } from './shared-options.ts';

export const receiptVerify = defineCommand({
  name: 'receipt verify',
  summary: 'check a receipt, and with --rejudge run its tests again',
  description: `Checks that the key signed it, that it agrees with itself (results with their root, reward with the
results, outcome with the score), and that task or standard and submission are what it is about, as far as they are
given or lie beside it in the directory of a trial. Exits 1 when any check fails.`,
  example: 'assay receipt verify jobs/a/trials/t.1/receipt.json --trust key.pem --rejudge --task tasks/t',
  arguments: [{ name: 'file', description: 'the receipt' }],
  options: {
    trust: {
      kind: 'text',
      value: 'KEY',
      required: true,
      description: 'a key id, a public key in base64, or a file with a key (`assay key show`)',
    },
    rejudge: {
      kind: 'flag',
      description:
        "run the tests again and compare one by one; a model's or a person's answers are computed from the record",
    },
    task: { kind: 'text', value: 'DIR', description: 'the task that it is about' },
    standard: { kind: 'text', value: 'FILE', description: 'the standard that it is about' },
    submission: {
      kind: 'text',
      value: 'PATH',
      description: 'the submission (default: the one beside the receipt, in the directory of a trial)',
    },
    provider: { kind: 'text', value: 'NAME', description: "sandbox provider to run in again (default: the receipt's)" },
  },
  async run({ file, trust, rejudge, task, standard, submission, provider }, { signal }) {
    const { verifyReceipt } = await import('@assay/engine/commands/receipt/verify-receipt');
    const { rejudgeStandard } = await import('@assay/judging/judge-standard');
    const { renderReceiptReport } = await import('../reporters/render-receipt-report.ts');
    const report = await verifyReceipt({
      file,
      trust,
      rejudge,
      signal,
      rejudgeStandard,
      scenarios: scenarioTasks(),
      ...given({ task, standard, submission, provider }),
    });
    return {
      exitCode: report.valid ? 0 : 1,
      document: report,
      render: (terminal) => renderReceiptReport(report, terminal),
    };
  },
});
