import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { writeJsonAtomic } from '@assay/engine/files/atomic-write';
import { openChatModel, type ChatModel } from '@assay/engine/models/chat-model';
import { lockDirectory } from '@assay/engine/store/lock-directory';
import { forEachParallel } from '@assay/engine/store/schedule';
import { AssayError, type OnProgress } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { findFramework, findScenario } from '../find-row.ts';
import { gradeAnswer, observingProvider, prepareRow } from '../grade/grade-answer.ts';
import { filesOfResponse } from '../grade/read-answer.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { openSlots, type Slots } from '../grade/slots.ts';
import type { Profile } from '../profile.ts';
import { buildPrompt, SYSTEM_PROMPT, type SafetyPrompt, type SpecType } from '../prompt/build-prompt.ts';
import { samplePath } from '../results/results-tree.ts';
import { StoredSample } from '../results/stored-sample.ts';
import type { Row } from '../split/rows.ts';
import { prepareTree } from './prepare-tree.ts';
import { summarise, type EvalSummary } from './summarise.ts';

export interface EvalRequest {
  rows: readonly Row[];
  model: { name: string; endpoint: string };
  /** For each row. */
  samples: number;
  /** Left out: the service's own. It stands in the paths, as 0.2 then, which is upstream's default. */
  temperature?: number;
  maxTokens: number;
  spec: SpecType;
  safety: SafetyPrompt;
  systemPrompt?: string;
  profile: Profile;
  ks: readonly number[];
  /** The tree of results: new or empty, or one to go on with. */
  out: string;
  resume: boolean;
  /** Tests at once, and requests to the model at once. */
  jobs?: number;
  provider?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

export interface EvalReport extends EvalSummary {
  model: string;
  profile: Profile;
  /** Samples that the model's service did not answer: `--resume` asks again. */
  unanswered: number;
  out: string;
}

interface Evaluation { request: EvalRequest; chat: ChatModel; provider: SandboxProvider; slots: Slots }

/**
 * Asks a model for every row, grades what it answers, and sums up. Every sample ends in the tree, so that a killed run goes on where it was. Throws
 * what the user can mend before anything is asked: rows that cannot be graded, an occupied directory.
 */
export async function runEval(request: EvalRequest): Promise<EvalReport> {
  const { rows, model, samples, signal, onEvent } = request;
  const out = resolve(request.out);
  const chat = openChatModel({ endpoint: model.endpoint, model: model.name });
  const provider = await observingProvider(request.provider);
  await prepareTree(out, request.resume);
  const unlock = await lockDirectory(out);
  try {
    for (const framework of new Set(rows.map((row) => row.framework))) {
      const any = rows.find((row) => row.framework === framework);
      if (any) await prepareRow(findScenario(any.scenario), findFramework(framework), { profile: request.profile, provider, ...(signal ? { signal } : {}), ...(onEvent ? { onEvent } : {}) });
    }
    const evaluation: Evaluation = { request: { ...request, out }, chat, provider, slots: openSlots(request.jobs) };
    const wanted = rows.flatMap((row) => Array.from({ length: samples }, (_, index) => ({ row, index })));
    const grades: SampleGrade[] = [];
    let done = 0;
    let unanswered = 0;
    await forEachParallel(wanted, (request.jobs ?? availableParallelism()) * 2, async ({ row, index }) => {
      const item = `${row.scenario} ${row.framework} #${index}`;
      onEvent?.({ type: 'item-start', item, done, total: wanted.length });
      const grade = await evaluateSample(evaluation, row, index);
      done += 1;
      if (grade) grades.push(grade);
      else unanswered += 1;
      onEvent?.({ type: 'item-end', item, ok: grade?.outcome === 'pass', text: grade ? grade.outcome : 'the model did not answer', done, total: wanted.length });
    }, signal);
    const report: EvalReport = { model: model.name, profile: request.profile, ...summarise(grades, request.ks), unanswered, out };
    await writeJsonAtomic(join(out, 'report.json'), report);
    return report;
  } finally {
    await unlock();
  }
}

/** Null when the model's service failed: nothing is stored then. */
async function evaluateSample({ request, chat, provider, slots }: Evaluation, row: Row, index: number): Promise<SampleGrade | null> {
  const { model, temperature = 0.2, spec, safety, profile, out, signal, onEvent } = request;
  const stored = new StoredSample(join(out, samplePath({ model: model.name, scenario: row.scenario, framework: row.framework, temperature, spec, safety }, index)));
  const known = await stored.grade();
  if (known && known.profile === profile && known.outcome !== 'invalid') return known;
  const scenario = findScenario(row.scenario);
  const framework = findFramework(row.framework);
  let response = await stored.response();
  if (response === null) {
    response = await ask(chat, request, buildPrompt(scenario, framework, { spec, safety }));
    if (response === null) return null;
    await stored.writeResponse(response, filesOfResponse(response, framework, profile));
  }
  const grade = await gradeAnswer(scenario, framework, filesOfResponse(response, framework, profile), { profile, provider, slots, ...(signal ? { signal } : {}), ...(onEvent ? { onEvent } : {}) });
  await stored.writeGrade(grade);
  return grade;
}

async function ask(chat: ChatModel, { systemPrompt = SYSTEM_PROMPT, maxTokens, temperature, signal }: EvalRequest, user: string): Promise<string | null> {
  try {
    const { text } = await chat.complete({ system: systemPrompt, user, maxTokens, ...(temperature === undefined ? {} : { temperature }), ...(signal ? { signal } : {}) });
    return text;
  } catch (error) {
    signal?.throwIfAborted();
    if (!AssayError.is(error) || error.kind !== 'infrastructure') throw error;
    return null;
  }
}
