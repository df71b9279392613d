import type { TestCommand, TestStatus } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { undisclosedSymbols } from '../../harden/undisclosed-symbols.ts';
import { readT0Tokens } from '../../harden/t0-tokens.ts';
import { composeChange } from '../../verify/compose-verifier-tree.ts';
import type { Mutant } from '../../verify/mutants/list-mutants.ts';
import type { Built } from '../2-build.ts';
import { suite, type Proven } from '../3-prove.ts';
import type { Candidate } from '../candidate.ts';
import type { MineContext } from '../mine-context.ts';
import { pointerIn, shownRun } from '../write-regression-test.ts';
import { keptBehaviour } from './kept-behaviour.ts';
import { laterVersions } from './later-versions.ts';

const REPEATS = 3;
const TIMEOUT_SEC = 60;
const MOST_REWRITES = 6;
const MOST_VERSIONS = 3;

export interface StrengthenRequest {
  candidate: Candidate;
  built: Built;
  proven: Proven;
  /** The whole text of the instruction. */
  instruction: string;
  survivors: readonly Mutant[];
  context: MineContext;
}

/** A file of tests that a model wrote. */
export interface WrittenTest {
  path: string;
  code: string;
}

export type Judged = { problem: string } | { failToPass: string[]; passToPass: string[] };

type Statuses = ReadonlyMap<string, TestStatus>;

/**
 * Decides by machine whether a file of tests is taken: the reference passes every time; T0 and a survivor fail; rewrites
 * that keep behaviour, and later versions that people wrote, pass; and nothing is demanded that nobody was told.
 */
export async function tryTest(test: WrittenTest, request: StrengthenRequest): Promise<Judged> {
  const untold = pointerIn(test.code, request.candidate) ?? (await demandOf(test, request));
  if (untold !== null) return { problem: untold };
  const told = await toldApart(test, request);
  if ('problem' in told) return told;
  const problem = (await survivorProblem(test, request)) ?? (await overSpecified(test, request));
  return problem === null ? told : { problem };
}

/** Runs the file with and without the change, some times over. */
async function toldApart(test: WrittenTest, request: StrengthenRequest): Promise<Judged> {
  const fixed: Statuses[] = [];
  const before: Statuses[] = [];
  for (let run = 1; run <= REPEATS; run += 1) {
    const { statuses, problem } = await runOn(test, request.candidate.reference, request);
    if (problem !== null) return { problem: `with the change it does not pass.\n${problem}` };
    const without = await runOn(test, { files: [], deleted: [] }, request);
    if (without.problem === null) return { problem: 'without the change it passes as well.' };
    fixed.push(statuses);
    before.push(without.statuses);
  }
  const ids = [...new Set(fixed.flatMap((run) => [...run.keys()]))].sort();
  const failToPass = ids.filter((id) => before.every((run) => run.get(id) !== 'passed'));
  const passToPass = ids.filter((id) => before.every((run) => run.get(id) === 'passed'));
  const settled = failToPass.length > 0 && failToPass.length + passToPass.length === ids.length;
  return settled ? { failToPass, passToPass } : { problem: 'without the change its answer varies.' };
}

/** Names the first thing that the test wants and nobody could know. */
async function demandOf({ path, code }: WrittenTest, request: StrengthenRequest): Promise<string | null> {
  const { candidate, built, instruction } = request;
  const [first] = undisclosedSymbols({
    reference: candidate.reference,
    tests: { files: [{ path, content: Buffer.from(code), executable: false }], deleted: [] },
    t0Directory: built.t0Directory,
    t0Tokens: await readT0Tokens(built.t0Directory),
    instruction,
    ecosystem: candidate.ecosystem,
  });
  return first
    ? `it wants the ${first.kind} ${JSON.stringify(first.text)}, which neither the instruction nor the program before the change tells.`
    : null;
}

async function survivorProblem(test: WrittenTest, request: StrengthenRequest): Promise<string | null> {
  for (const { submission } of request.survivors)
    if ((await runOn(test, submission, request)).problem !== null) return null;
  return 'it passes with every one of the wrong variants.';
}

/** Runs what is as right as the reference: whoever fails it wants more than behaviour. */
async function overSpecified(test: WrittenTest, request: StrengthenRequest): Promise<string | null> {
  const { candidate, built, proven, context } = request;
  const { provider, repository, signal } = context;
  const runtime = { environment: await built.environment(), provider, signal };
  const rewrites = await keptBehaviour({ ...candidate, ...built, most: MOST_REWRITES }, runtime);
  for (const { title, submission } of rewrites) {
    const { problem } = await runOn(test, submission, request);
    if (problem !== null) return `it fails where the program does the same (${title}).\n${problem}`;
  }
  const { base, reference } = candidate;
  for (const version of await laterVersions({ repository, base, reference, most: MOST_VERSIONS, signal })) {
    const own = await suite(built, filesOfTheFix(proven, candidate), treeOf(version, candidate), context);
    const stillFixed = proven.failToPass.every((id) => own.report.results.get(id)?.status === 'passed');
    const { problem } = stillFixed ? await runOn(test, version, request) : { problem: null };
    if (problem !== null)
      return `it fails with a later version of the program, which passes the other tests.\n${problem}`;
  }
  return null;
}

const treeOf = (submission: ChangeSet, { hidden }: Candidate): ChangeSet =>
  composeChange({ submission, hidden, steering: [], hiddenWins: true });

function filesOfTheFix({ command, failToPass }: Proven, { ecosystem }: Candidate): TestCommand {
  return { ...command, files: [...new Set(failToPass.map((id) => ecosystem.tests.splitId(id).file))] };
}

/** Runs the file alone. `problem` is null when there are tests in it and all of them pass. */
async function runOn(
  { path, code }: WrittenTest,
  submission: ChangeSet,
  { candidate, built, proven, context }: StrengthenRequest,
): Promise<{ statuses: Statuses; problem: string | null }> {
  const change = treeOf(submission, candidate);
  const files = [...change.files, { path, content: Buffer.from(code), executable: false }];
  const command = { ...proven.command, files: [path], timeoutSec: TIMEOUT_SEC };
  const run = await suite(built, command, { ...change, files }, context);
  const results = [...run.report.results.values()];
  const passes = results.length > 0 && results.every(({ status }) => status === 'passed');
  return {
    statuses: new Map(results.map(({ id, status }) => [id, status])),
    problem: passes && run.exec.timedOut !== true ? null : shownRun(run),
  };
}
