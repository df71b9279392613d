import { AssayError } from '@assay/protocol/errors';
import type { CandidateRecord, MineResult } from '@assay/protocol';
import { defineCommand, type CommandResult, type OptionSpec } from '../command.ts';
import { given, providerOption } from './shared-options.ts';

const pipelineOption = {
  kind: 'text',
  value: 'NAME',
  description: 'where candidates come from',
} as const satisfies OptionSpec;

export const mine = defineCommand({
  name: 'mine',
  summary: 'make tasks out of a repository',
  description: `Looks in a repository for problems with a solution and tests, rebuilds each as of its base commit,
proves it, and writes those that hold as tasks. The pipeline says where they come from (docs/mining.md). Says at the end
how many candidates fell at which gate (docs/rejection-reasons.md); what became of each stands in dataset.json, and how
it came to that, with the time of each stage, in candidates.jsonl, of which --explain prints one. A second run answers from the cache, and a killed one goes on where it was. Where this machine or a service was at fault, the
candidate is deferred: the next run tries it again. With nothing admitted it exits 3, or, when candidates were deferred,
5 for what this machine lacks and 1 for the rest. A run by a file exits 1 when a repository of it could not be mined, whatever
became of the others.`,
  example: 'assay mine ~/src/project --pipeline commit_runtime --out tasks --limit 50',
  arguments: [
    {
      name: 'source',
      required: false,
      description: 'a directory with a clone, or a URL (https, http, ssh, git); not with --config and --explain',
    },
  ],
  options: {
    config: {
      kind: 'text',
      short: 'c',
      value: 'FILE',
      description:
        'mine what this file names, several repositories and pipelines, into one dataset (YAML, JSON or TOML; ' +
        'docs/mining.md); flags beside it go before what it says',
    },
    pipeline: pipelineOption,
    specificity: {
      kind: 'text',
      value: 'POLICY',
      description:
        'names and texts that hidden tests demand and nobody could know: tell them in a line of the instruction, ' +
        'relax exceptions to their class where their words are compared outside, or reject (default: tell)',
    },
    out: {
      kind: 'text',
      value: 'DIR',
      description: 'directory for the tasks; new, empty, or of an earlier run. Needed unless --config names it',
    },
    limit: { kind: 'count', value: 'N', description: 'look at no more than N candidates, newest first (default: 50)' },
    budget: {
      kind: 'duration',
      value: 'TIME',
      description: 'stop after this time, such as 30m or 1h30m; what is left is for the next run',
    },
    explain: {
      kind: 'text',
      value: 'COMMIT',
      description: 'make nothing: print how this candidate of --out ended, with its evidence and times',
    },
    since: { kind: 'date', value: 'DATE', description: 'only fixes from this day on, such as 2024-01-31' },
    until: { kind: 'date', value: 'DATE', description: 'only fixes from before this day' },
    cutoff: {
      kind: 'date',
      value: 'DATE',
      description:
        'until when a model was trained: tasks whose fix is older, which it may have seen, are marked and counted',
    },
    network: {
      kind: 'text',
      value: 'NETWORK',
      description:
        'what agents of the tasks may reach: none, or package-lane, for what their index had at T0 (default: none)',
    },
    require: {
      kind: 'text',
      value: 'split',
      description: 'admit only tasks with a test of the fix whose expectation stays out of reach of the submission',
    },
    'min-killed': {
      kind: 'fraction',
      value: 'SHARE',
      description:
        'reject a task whose tests tell fewer than this share of small changes of its reference; 0: do not look ' +
        '(default: 0.5)',
    },
    strengthen: {
      kind: 'flag',
      description: 'have the model write hidden tests for changes which the tests of a fix let pass',
    },
    jobs: { kind: 'count', value: 'N', description: 'candidates at the same time (default: the number of processors)' },
    model: {
      kind: 'text',
      value: 'NAME',
      description: 'model that writes instructions where the commit message or the advisory says too little',
    },
    endpoint: {
      kind: 'url',
      value: 'URL',
      description: 'OpenAI-compatible API of that model; its key is in ASSAY_MODEL_KEY or OPENAI_API_KEY',
    },
    'model-budget': {
      kind: 'count',
      value: 'TOKENS',
      description:
        'ceiling for all that the model is asked about candidates: what might break through it is not asked, and the candidate deferred',
    },
    blind: {
      kind: 'count',
      value: 'N',
      description:
        'have the model try each admitted task N times with the instruction alone, and note how often it did',
    },
    provider: providerOption,
  },
  async loadOptions() {
    const { PIPELINES } = await import('@assay/engine/mine/pipelines/index');
    const { pipelineFlags } = await import('@assay/engine/mine/pipelines/pipeline-flags');
    const summaries = PIPELINES.map(({ name, summary }) => `${name} (${summary})`).join(' or ');
    const own: Record<string, OptionSpec> = {};
    for (const { flag, kind, value, description } of pipelineFlags(PIPELINES)) own[flag] = { kind, value, description };
    return { pipeline: { ...pipelineOption, description: `${pipelineOption.description}: ${summaries}` }, ...own };
  },
  async run(input, { signal, onEvent }) {
    const { config, source, pipeline, out } = input;
    if (input.explain !== undefined && out !== undefined) return explain(out, input.explain);
    const own = await pipelineOptions(input);
    const problem = problemOf({ ...input, own });
    if (problem) throw new AssayError('BAD_OPTION', problem);
    const settings = { ...(await settingsOf(input)), signal, onEvent };
    const { renderFunnel } = await import('../reporters/render-funnel.ts');
    const result =
      config === undefined
        ? await (async () => {
            const { mineRepository } = await import('@assay/engine/commands/mine');
            const what = { source: source ?? '', pipeline: pipeline ?? '', pipelineOptions: own };
            return mineRepository({ ...settings, ...what, out: out ?? '' });
          })()
        : await (async () => {
            const { mineFromFile } = await import('@assay/engine/commands/mine-from-file');
            return mineFromFile({ ...settings, file: config, out });
          })();
    return {
      exitCode: exitCodeOf(result),
      document: result,
      render: (terminal) => renderFunnel(result, out ?? result.out ?? '', terminal),
    };
  },
});

interface GivenSettings {
  limit: number | undefined;
  budget: number | undefined;
  specificity: string | undefined;
  require: string | undefined;
  network: string | undefined;
  'min-killed': number | undefined;
  strengthen: boolean;
  since: Date | undefined;
  until: Date | undefined;
  cutoff: Date | undefined;
  jobs: number | undefined;
  model: string | undefined;
  endpoint: string | undefined;
  blind: number | undefined;
  'model-budget': number | undefined;
  provider: string | undefined;
}

/** The given values by the names of the library. Throws `BAD_OPTION`. */
async function settingsOf(input: GivenSettings) {
  const { SpecificityPolicy } = await import('@assay/protocol');
  const { limit, budget, since, until, cutoff, jobs, model, endpoint, blind, provider, network } = input;
  const specificity = SpecificityPolicy.optional().safeParse(input.specificity);
  if (!specificity.success)
    throw new AssayError('BAD_OPTION', { option: '--specificity', detail: 'it is tell, relax or reject' });
  if (network !== undefined && network !== 'none' && network !== 'package-lane')
    throw new AssayError('BAD_OPTION', { option: '--network', detail: 'it is none or package-lane' });
  const reached: 'none' | 'package-lane' | undefined = network;
  return given({
    limit,
    budgetMs: budget,
    specificity: specificity.data,
    require: input.require === undefined ? undefined : ('split' as const),
    network: reached,
    minKilled: input['min-killed'],
    strengthen: input.strengthen || undefined,
    since: since?.toISOString(),
    until: until?.toISOString(),
    cutoff: cutoff?.toISOString(),
    jobs,
    blind,
    modelBudget: input['model-budget'],
    provider,
    model: model && endpoint ? { name: model, endpoint } : undefined,
  });
}

/** What is wrong with the given values beside each other. */
function problemOf(input: {
  config: string | undefined;
  source: string | undefined;
  pipeline: string | undefined;
  out: string | undefined;
  explain: string | undefined;
  model: string | undefined;
  endpoint: string | undefined;
  require: string | undefined;
  strengthen: boolean;
  blind: number | undefined;
  'model-budget': number | undefined;
  /** Options of pipelines. */
  own: Readonly<Record<string, unknown>>;
}): { option: string; detail: string } | null {
  const { config, source, pipeline, out, explain, model, endpoint, require, strengthen, blind, own } = input;
  if (out === undefined && (config === undefined || explain !== undefined))
    return { option: '--out', detail: 'name the directory for the tasks' };
  if (config !== undefined) {
    const beside = source !== undefined ? 'source' : pipeline !== undefined ? '--pipeline' : Object.keys(own)[0];
    if (beside !== undefined) return { option: beside, detail: 'it stands in the file of --config' };
  }
  if (config === undefined && source === undefined)
    return { option: 'source', detail: 'name the repository to look in, or a file by --config' };
  if (config === undefined && pipeline === undefined)
    return { option: '--pipeline', detail: 'name where candidates come from' };
  if ((model === undefined) !== (endpoint === undefined))
    return { option: model ? '--model' : '--endpoint', detail: 'give --model and --endpoint together' };
  if (require !== undefined && require !== 'split')
    return { option: '--require', detail: 'the only thing to require is split' };
  const hasModel = model !== undefined || config !== undefined;
  if (strengthen && !hasModel) return { option: '--strengthen', detail: 'it needs --model' };
  if (input['model-budget'] !== undefined && !hasModel) return { option: '--model-budget', detail: 'it needs --model' };
  if (blind !== undefined && !hasModel) return { option: '--blind', detail: 'it needs --model' };
  return null;
}

async function explain(out: string, name: string): Promise<CommandResult<CandidateRecord>> {
  const { findRecord } = await import('@assay/engine/mine/candidate-records');
  const { renderCandidate } = await import('../reporters/render-candidate.ts');
  const record = await findRecord(out, name);
  return { exitCode: 0, document: record, render: (terminal) => renderCandidate(record, terminal) };
}

/** The given values of the pipelines' own options, by the pipelines' names for them. */
async function pipelineOptions(input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const { PIPELINES } = await import('@assay/engine/mine/pipelines/index');
  const { pipelineFlags } = await import('@assay/engine/mine/pipelines/pipeline-flags');
  return given(
    Object.fromEntries(
      pipelineFlags(PIPELINES).flatMap(({ flag, option }) => {
        const value = input[flag];
        const isEmpty = value === false || (Array.isArray(value) && value.length === 0);
        return isEmpty ? [] : [[option, value]];
      }),
    ),
  );
}

/** Nothing admitted is no answer while candidates are deferred, and a file is not done while a part of it failed. */
function exitCodeOf({ admitted, ledger, parts = [] }: MineResult): 0 | 1 | 3 | 5 {
  if (parts.some(({ failure }) => failure !== undefined)) return 1;
  if (admitted > 0) return 0;
  const kinds = ledger.flatMap((end) => (end.outcome === 'deferred' ? [end.kind] : []));
  if (kinds.length === 0) return 3;
  return kinds.includes('machine') ? 5 : 1;
}
