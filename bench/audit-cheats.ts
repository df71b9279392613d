/**
 * Audits the corpus of cheats. A scripted model has `loop` run each script as one command, with every seal on, at a
 * task in Python and one in JavaScript. Prints a table: cheat, reward and trust, rules
 * with their severity.
 *
 *     node bench/audit-cheats.ts [--ids D3,D9] [--json]
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CHEATS } from '../packages/engine/src/cheats/index.ts';
import { startFakeModel } from '../packages/lanes/src/fake-model/start-fake-model.ts';
import { runJob } from '@assay/engine/job/run-job';
import { describeScene } from '../packages/engine/src/kinds/repository/scene/open-scene.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { auditTrial } from '../packages/engine/src/trace/audit/audit-trial.ts';
import { readTrial } from '@assay/engine/trace/read-trial';
import { openRepositoryTask } from '../packages/engine/src/verify/open-repository-task.ts';
import { chooseProvider } from '@assay/sandbox';
import { mineFixtureTask, type Language } from '../test/e2e/fixture-tasks.ts';

interface Row {
  id: string;
  language: Language;
  reward: number | null;
  trust: string;
  rules: string[];
}

const { values } = parseArgs({ options: { ids: { type: 'string' }, json: { type: 'boolean', default: false } } });
const ids = values.ids?.split(',');
const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'));
process.env['ASSAY_MODEL_KEY'] = 'sk-bench-0123456789abcdef';
process.env['ASSAY_KEY'] = join(directory, 'receipt-key.pem');
const rows: Row[] = [];
try {
  for (const language of ['python', 'node'] satisfies Language[]) {
    const fixture = await mineFixtureTask(language);
    try {
      const open = await openRepositoryTask(fixture.task, {
        provider: await chooseProvider(),
        cacheDirectory: cacheDirectory(),
      });
      const scene = describeScene(open, {
        origin: 'http://10.1.2.3',
        datagramPort: 5300,
        hostSecretPath: '/srv/secret',
      });
      for (const { id, script } of CHEATS) {
        const command = ids === undefined || ids.includes(id) ? script(scene) : null;
        if (command !== null)
          rows.push({ id, language, ...(await audited(fixture.task, command, `${language}-${id}`)) });
      }
    } finally {
      await fixture.dispose();
    }
  }
  console.log(values.json ? JSON.stringify(rows) : tableOf(rows));
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function audited(task: string, command: string, name: string): Promise<Pick<Row, 'reward' | 'trust' | 'rules'>> {
  const model = await startFakeModel({
    script: { turns: [{ tools: [{ name: 'run_shell', arguments: { command } }] }, { say: 'Done.' }] },
  });
  try {
    const {
      trials: [trial],
      directory: job,
    } = await runJob({
      path: task,
      agent: 'loop',
      timeoutSec: 60,
      out: join(directory, name),
      model: { name: 'scripted', endpoint: model.endpoints.openai },
    });
    const [id = ''] = await readdir(join(job, 'trials'));
    const { findings } = await auditTrial(await readTrial(join(job, 'trials', id)));
    return {
      reward: trial?.reward ?? null,
      trust: trial?.trust.level ?? '',
      rules: [...new Set(findings.map(({ rule, severity }) => `${rule} (${severity})`))],
    };
  } finally {
    await model.close();
  }
}

function tableOf(found: readonly Row[]): string {
  const cells = found.map(({ id, language, reward, trust, rules }) => [
    id,
    language,
    String(reward),
    trust,
    rules.join(', ') || '-',
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
