/**
 * How far the hidden tests of real commits can be taken apart, and whether a split verdict is the native one.
 *
 *     node bench/split.ts REPOSITORY... [--commits 8] [--mutants 4] [--scan 60] [--rounds 3] [--minutes 60] [--json]
 *
 * Takes the newest commits of each repository whose tests tell the fix from its absence, whatever their messages say, until
 * there are `--commits` of them, `--scan` were looked at, or `--minutes` are over (it ends after the commit at hand). Prints for each repository: tests of the fix by class; commits with
 * a test of class `split`; verdicts by split and by native grading, test by test, over references, halves, empty submissions and
 * mutants, with every disagreement; honest submissions that were called forged (must be 0); what forged code passes by class of
 * test; and the time of split over native grading, of the references, one after the other.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { SealName, SplitClass, Verdict } from '@assay/protocol';
import { bubblewrapProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { halfOfChange } from '@assay/files/half-of-change';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { cacheDirectory } from '@assay/files/store/paths';
import type { RepositoryTask } from '../packages/engine/src/bundle/task.ts';
import { importRepository } from '../packages/engine/src/git/import-repository.ts';
import { read } from '../packages/engine/src/mine/1-read.ts';
import { build } from '../packages/engine/src/mine/2-build.ts';
import { prove } from '../packages/engine/src/mine/3-prove.ts';
import { rejectionOf, type Candidate } from '../packages/engine/src/mine/candidate.ts';
import type { MineContext } from '../packages/engine/src/mine/mine-context.ts';
import { pipelineNamed } from '../packages/engine/src/mine/pipelines/index.ts';
import { listMutants } from '../packages/engine/src/verify/mutants/list-mutants.ts';
import { bakeSplit } from '../packages/engine/src/verify/split/bake-split.ts';
import { verifySubmission, type VerifyRequest } from '../packages/engine/src/verify/verify-submission.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: 'string', default: '8' },
    mutants: { type: 'string', default: '4' },
    scan: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) throw new Error('usage: node bench/split.ts REPOSITORY... [--commits 8] [--mutants 4]');
const provider = bubblewrapProvider();
const NOTHING: ChangeSet = { files: [], deleted: [] };

type Opened = Omit<VerifyRequest, 'submission' | 'unsealed'> & { classes: Map<string, SplitClass> };

interface Report {
  repository: string;
  looked: number;
  commits: number;
  /** Commits with a test of the fix of class `split`. */
  withSplit: number;
  trust: Record<string, number>;
  testsOfTheFix: Record<string, number>;
  whyNone: string[];
  submissions: number;
  verdictsCompared: number;
  nativeFailures: number;
  disagreements: string[];
  accused: string[];
  /** Tests of the fix that code passes which patches the runner, or returns what equals everything: passed of all, by class. */
  forged: Record<string, { outside: [number, number]; native: [number, number] }>;
  seconds: { native: number; split: number; ratio: number };
}

const reports: Report[] = [];
for (const source of positionals) reports.push(await measure(source));
console.log(JSON.stringify(reports, null, values.json ? 0 : 2));

async function measure(source: string): Promise<Report> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-split-'));
  const repository = await importRepository(source, cacheDirectory());
  try {
    const pipeline = pipelineNamed('commit_runtime');
    const context: MineContext = {
      pipeline,
      repository,
      provider,
      model: null,
      cacheDirectory: cacheDirectory(),
      specificity: 'tell',
      minKilled: 0,
      mutantsAtOnce: 1,
    };
    const collect = await pipeline.open({});
    const { found } = await collect({ repository });
    const report = emptyReport(source);
    const end = performance.now() + Number(values.minutes) * 60_000;
    for await (const { label, data } of found) {
      if (report.commits >= Number(values.commits) || report.looked >= Number(values.scan)) break;
      if (performance.now() > end) break;
      report.looked += 1;
      try {
        const candidate = await read(data, context);
        await examine({ candidate, label, context }, report);
      } catch (error) {
        if (!rejectionOf(error)) process.stderr.write(`${label}: ${String(error)}\n`);
      }
    }
    report.seconds.ratio = report.seconds.split / report.seconds.native;
    return report;
  } finally {
    await repository.dispose();
    await rm(directory, { recursive: true, force: true });
  }
}

function emptyReport(repository: string): Report {
  return {
    repository,
    looked: 0,
    commits: 0,
    withSplit: 0,
    trust: {},
    testsOfTheFix: {},
    whyNone: [],
    submissions: 0,
    verdictsCompared: 0,
    nativeFailures: 0,
    disagreements: [],
    accused: [],
    forged: {},
    seconds: { native: 0, split: 0, ratio: NaN },
  };
}

async function examine(
  { candidate, label, context }: { candidate: Candidate; label: string; context: MineContext },
  report: Report,
): Promise<void> {
  const built = await build(candidate, context);
  const proven = await prove(candidate, built, context);
  const environment = await built.environment();
  const meta = {
    steering: [...candidate.ecosystem.steering],
    test: proven.command,
    fail_to_pass: proven.failToPass,
    pass_to_pass: proven.passToPass,
    digest: '',
  };
  const task = { meta } as unknown as RepositoryTask;
  const parts = { task, reference: candidate.reference, hidden: candidate.hidden, environment, provider };
  const expected = { failToPass: proven.failToPass, passToPass: proven.passToPass };
  const baked = await bakeSplit({ ...parts, command: proven.command, expected, t0Directory: built.t0Directory });
  report.commits += 1;
  if (baked.split === null) report.whyNone.push(`${label}: ${baked.why}`);
  const classes = new Map(baked.split?.plan.tests.map((test) => [test.id, test.class]));
  const kinds = proven.failToPass.map((id) => classes.get(id) ?? 'in-process');
  for (const kind of kinds) report.testsOfTheFix[kind] = (report.testsOfTheFix[kind] ?? 0) + 1;
  if (kinds.includes('split')) report.withSplit += 1;
  const opened: Opened = { ...parts, t0Directory: built.t0Directory, split: baked.split, classes };
  process.stderr.write(`${label}: ${kinds.join(' ')}\n`);
  if (baked.split === null) return;
  await compare(opened, { candidate, label }, report);
  await time(opened, report);
  await forge(opened, candidate, report);
}

function grade(opened: Opened, submission: ChangeSet, unsealed: SealName[] = []): Promise<Verdict> {
  return verifySubmission({ ...opened, submission, unsealed: new Set(unsealed) });
}

async function compare(
  opened: Opened,
  { candidate, label }: { candidate: Candidate; label: string },
  report: Report,
): Promise<void> {
  const { reference, t0Directory, environment } = opened;
  const half = await halfOfChange(t0Directory, reference);
  const mutants = await listMutants(
    { reference, t0Directory, ecosystem: candidate.ecosystem, limit: Number(values.mutants) },
    { environment, provider },
  );
  const submissions: [string, ChangeSet][] = [
    ['reference', reference],
    ['empty', NOTHING],
    ...(half ? [['half', half] as [string, ChangeSet]] : []),
    ...mutants.map((mutant): [string, ChangeSet] => [
      `${mutant.path}:${mutant.line} ${mutant.change}`,
      mutant.submission,
    ]),
  ];
  for (const [name, submission] of submissions) {
    const [split, native] = await Promise.all([grade(opened, submission), grade(opened, submission, ['split-oracle'])]);
    report.submissions += 1;
    if (split.trust.level === 'forged') report.accused.push(`${label} ${name}`);
    const nativeStatus = new Map(native.tests.map((test) => [test.id, test.status]));
    for (const test of split.tests) {
      const there = nativeStatus.get(test.id) === 'passed';
      report.verdictsCompared += 1;
      if (!there) report.nativeFailures += 1;
      if ((test.status === 'passed') !== there)
        report.disagreements.push(
          `${label} ${name}: ${test.id} (${opened.classes.get(test.id)}): ` +
            `split ${test.status} ${test.detail ?? ''}, native ${nativeStatus.get(test.id)}`,
        );
    }
  }
  count(report.trust, (await grade(opened, reference)).trust.level);
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

async function time(opened: Opened, { seconds }: Report): Promise<void> {
  const timed = async (unsealed: SealName[]): Promise<number> => {
    const start = performance.now();
    await grade(opened, opened.reference, unsealed);
    return (performance.now() - start) / 1000;
  };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    seconds.native += await timed(['split-oracle']);
    seconds.split += await timed([]);
  }
}

/** Code of an attack at the end of the first source file that the reference changes. */
async function forge(opened: Opened, { ecosystem }: Candidate, report: Report): Promise<void> {
  const { reference, t0Directory, task } = opened;
  const path = reference.files.map((file) => file.path).find((each) => ecosystem.codeFiles.test(each));
  const text = path === undefined ? null : readRegularFileBelow(t0Directory, path);
  if (path === undefined || text === null) return;
  for (const code of [ecosystem.attacks.passAll(task.meta.test.runner), ecosystem.attacks.alwaysEqual]) {
    const content = Buffer.from(`${text.toString()}\n${code}\n`);
    const submission = { files: [{ path, content, executable: false }], deleted: [] };
    const [split, native] = [await grade(opened, submission), await grade(opened, submission, ['split-oracle'])];
    for (const id of task.meta.fail_to_pass) {
      const kind = opened.classes.get(id) ?? 'in-process';
      const tally = (report.forged[kind] ??= { outside: [0, 0], native: [0, 0] });
      for (const [side, verdict] of [
        ['outside', split],
        ['native', native],
      ] as const) {
        tally[side][1] += 1;
        if (verdict.tests.some((test) => test.id === id && test.status === 'passed')) tally[side][0] += 1;
      }
    }
  }
}
