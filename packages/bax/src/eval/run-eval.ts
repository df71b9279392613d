import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { settle } from '@assay/files/store/failure-policy';
import { AssayError, type EvalReport, type GradeOrder, type OnProgress } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { findFramework, findScenario } from '../find-row.ts';
import { OBSERVING_PROVIDER, observingProvider, prepareRow } from '../grade/grade-answer.ts';
import { filesOfResponse } from '../grade/read-answer.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { openSlots } from '../grade/slots.ts';
import type { Profile } from '../profile.ts';
import { buildPrompt, SYSTEM_PROMPT, type SafetyPrompt, type SpecType } from '../prompt/build-prompt.ts';
import { samplePath } from '../results/results-tree.ts';
import { StoredSample } from '../results/stored-sample.ts';
import type { Row } from '../split/rows.ts';
import { openAsking, type Ask } from './ask-model.ts';
import { claimTree, type TreeSettings } from './claim-tree.ts';
import { eachSample } from './each-sample.ts';
import { gradeWorker, type GradeWorker } from './grade-worker.ts';
import { orderGrade } from './ordered-answer.ts';
import { storing, writeReport } from './storing.ts';
import { within } from './within.ts';
import { summarise } from './summarise.ts';

export interface EvalRequest {
  rows: readonly Row[];
  model: { name: string; endpoint: string };
  /** For each row. */
  samples: number;
  /** Left out: the service's own. It stands in the paths, as 0.2 then, which is upstream's default. */
  temperature?: number;
  maxTokens: number;
  /** Seconds of one request to the model. Default 600. */
  requestTimeout?: number;
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

const MAX_NAME_BYTES = 255;

interface Evaluation {
  request: EvalRequest;
  ask: Ask;
  worker: GradeWorker;
}

/** `item`: how progress names it. */
interface Sample {
  row: Row;
  item: string;
  stored: StoredSample;
}

/**
 * Asks a model for every row, grades what it answers, and sums up. Every sample ends in the tree, so that a killed run
 * goes on where it was, and none ends the others. Throws what the user can mend before anything is asked: rows that
 * cannot be graded, an occupied directory, a tree of another evaluation; and `MODEL_FAILED` when the model's service is
 * out of order.
 */
export async function runEval(request: EvalRequest): Promise<EvalReport> {
  const out = resolve(request.out);
  if (Buffer.byteLength(request.model.name) > MAX_NAME_BYTES)
    throw new AssayError('BAD_OPTION', {
      option: '--model',
      detail: `the name is longer than ${MAX_NAME_BYTES} bytes, and a directory is called by it`,
    });
  const settings = settingsOf(request);
  const ask = openAsking({
    endpoint: request.model.endpoint,
    model: settings.model,
    system: settings.systemPrompt,
    maxTokens: settings.maxTokens,
    temperature: request.temperature,
    requestTimeout: request.requestTimeout,
    signal: request.signal,
  });
  const provider = await observingProvider(request.provider);
  const unlock = await claimTree(out, request.resume, settings);
  const worker = gradeWorker({ slots: openSlots(request.jobs) });
  try {
    await prepareRows(request, provider);
    const report = await evaluate({ request: { ...request, out }, ask, worker });
    await writeReport(out, report);
    return report;
  } finally {
    await worker.close();
    await unlock();
  }
}

async function evaluate(evaluation: Evaluation): Promise<EvalReport> {
  const { request } = evaluation;
  const { profile, model, out, signal, onEvent } = request;
  const wanted = request.rows.flatMap((row) =>
    Array.from({ length: request.samples }, (_, index) => sampleOf(request, row, index)),
  );
  const { grades, missing } = await knownGrades(wanted, profile);
  const why: Record<string, number> = {};
  // A service that is out of order keeps the other samples waiting in vain; those under way are graded still.
  const outOfOrder = new AbortController();
  const ungraded = await eachSample(
    missing,
    {
      done: grades.length,
      total: wanted.length,
      parallel: (request.jobs ?? availableParallelism()) * 2,
      worker: evaluation.worker,
      signal,
      enough: outOfOrder.signal,
      onEvent,
    },
    {
      order: async (sample, tell) => {
        const order = await orderSample(evaluation, sample, tell).catch((error: unknown) => {
          if (AssayError.is(error) && error.code === 'MODEL_FAILED') outOfOrder.abort(error);
          throw error;
        });
        if (!('unanswered' in order)) return order;
        why[order.unanswered] = (why[order.unanswered] ?? 0) + 1;
        return { why: `not answered: ${order.unanswered}` };
      },
      onGrade: (_, grade) => grades.push(grade),
    },
  );
  if (grades.length === 0) {
    const [reason] = Object.keys(why);
    if (reason !== undefined) throw new AssayError('MODEL_FAILED', { endpoint: model.endpoint, detail: reason });
    if (ungraded[0]) throw ungraded[0].error;
  }
  const unanswered = Object.values(why).reduce((sum, count) => sum + count, 0);
  return {
    model: model.name,
    profile,
    ...summarise(grades, request.ks),
    unanswered: { samples: unanswered, why },
    failures: ungraded.map(({ failure }) => failure),
    out,
  };
}

/** Parts samples that have a grade from those that need one, before the clock starts: known grades take no time. */
async function knownGrades(
  wanted: readonly Sample[],
  profile: Profile,
): Promise<{ grades: SampleGrade[]; missing: Sample[] }> {
  const grades: SampleGrade[] = [];
  const missing: Sample[] = [];
  for (const sample of wanted) {
    const known = await sample.stored.grade();
    if (known && known.profile === profile && known.outcome !== 'invalid') grades.push(known);
    else missing.push(sample);
  }
  return { grades, missing };
}

function settingsOf({
  model,
  spec,
  safety,
  temperature,
  maxTokens,
  systemPrompt = SYSTEM_PROMPT,
  profile,
}: EvalRequest): TreeSettings {
  return { model: model.name, spec, safety, temperature: temperature ?? null, maxTokens, systemPrompt, profile };
}

/** Gets what every framework and every scenario needs, before a model is asked for anything. */
async function prepareRows({ rows, profile, signal, onEvent }: EvalRequest, provider: SandboxProvider): Promise<void> {
  const firsts = [
    ...Map.groupBy(rows, (row) => row.framework).values(),
    ...Map.groupBy(rows, (row) => row.scenario).values(),
  ].flatMap(([first]) => first ?? []);
  for (const { framework, scenario } of new Set(firsts)) {
    const item = `what ${scenario} in ${framework} needs`;
    onEvent?.({ type: 'item-start', item });
    const settings = { profile, provider, signal, onEvent: onEvent && within(item, onEvent) };
    await settle({ place: 'setup', item, signal }, () =>
      prepareRow(findScenario(scenario), findFramework(framework), settings),
    );
    onEvent?.({ type: 'item-end', item, ok: true, text: 'is there' });
  }
}

function sampleOf({ model, temperature = 0.2, spec, safety, out }: EvalRequest, row: Row, index: number): Sample {
  const { scenario, framework } = row;
  return {
    row,
    item: `${scenario} ${framework} #${index}`,
    stored: new StoredSample(
      join(out, samplePath({ model: model.name, scenario, framework, temperature, spec, safety }, index)),
    ),
  };
}

/**
 * Orders the grade of a sample whose response is there, after asking for one that is not. Nothing is stored of a sample
 * that was not answered.
 */
async function orderSample(
  { request, ask }: Evaluation,
  { row, item, stored }: Sample,
  onEvent: OnProgress | undefined,
): Promise<GradeOrder | { unanswered: string }> {
  const { spec, safety, profile, provider = OBSERVING_PROVIDER } = request;
  const scenario = findScenario(row.scenario);
  const framework = findFramework(row.framework);
  if ((await stored.response()) === null) {
    const progress = (text: string): void => onEvent?.({ type: 'item-progress', item, text });
    progress('asking');
    const answer = await ask(buildPrompt(scenario, framework, { spec, safety }), progress);
    if ('unanswered' in answer) return answer;
    await storing(stored, () => stored.writeResponse(answer.text, filesOfResponse(answer.text, framework, profile)));
  }
  const place = { form: 'response', path: stored.responsePath } as const;
  return orderGrade({ item, scenario, framework, profile, provider, place, out: stored.directory });
}
