import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';
import { baxProviderOption, profileOf, profileOption } from './bax-options.ts';
import { given } from './shared-options.ts';

export const baxEval = defineCommand({
  name: 'bax eval',
  summary: 'ask a model for backends, grade them, and sum up',
  description: `Writes a tree of results that BaxBench's own evaluator reads, with a grade beside each sample, and
prints pass@k (all functional tests pass) and sec_pass@k (and nothing was found) with 95 % intervals. With --results,
grades a tree that was generated elsewhere, asks no model, and believes no grade in it. Ctrl-C loses nothing that was
answered: --resume goes on, and keeps the grades that are there.`,
  example: 'assay bax eval --model M --endpoint http://127.0.0.1:8000/v1 --scenarios Login -k 5 --out results',
  arguments: [],
  options: {
    model: { kind: 'text', value: 'NAME', description: 'exact name of the model' },
    endpoint: {
      kind: 'url',
      value: 'URL',
      description: 'OpenAI-compatible or Anthropic; its key is in ASSAY_MODEL_KEY',
    },
    out: {
      kind: 'text',
      value: 'DIR',
      description: 'where the tree of results goes: new, or empty, or with --resume one to go on with',
    },
    results: {
      kind: 'text',
      value: 'DIR',
      description: 'in place of --model, --endpoint and --out: a tree that was generated elsewhere',
    },
    resume: { kind: 'flag', description: 'keep what is there, and do the rest' },
    k: { kind: 'list', short: 'k', value: 'N', description: 'of pass@k and sec_pass@k, beside 1 (may be repeated)' },
    samples: { kind: 'count', value: 'N', description: 'for each row (default: the largest -k)' },
    temperature: { kind: 'text', value: 'T', description: "0 to 2 (default: the service's own)" },
    'max-tokens': { kind: 'count', value: 'N', description: 'of one response (default: 8192)' },
    'request-timeout': {
      kind: 'seconds',
      value: 'SECONDS',
      description: 'of one request to the model, which is made up to four times (default: 600)',
    },
    spec: { kind: 'text', value: 'NAME', description: 'how the API is told: openapi or text (default: openapi)' },
    safety: {
      kind: 'text',
      value: 'NAME',
      description: 'what is said of security: none, generic or specific (default: none)',
    },
    split: {
      kind: 'text',
      value: 'NAME',
      description: 'train or eval: only that side of the split that `assay bax split` makes',
    },
    languages: {
      kind: 'list',
      value: 'NAMES',
      description: 'Python, JavaScript, Go, PHP, Ruby, Rust, or all (default: Python)',
    },
    scenarios: { kind: 'list', value: 'NAMES', description: 'these scenarios alone (default: all that have tests)' },
    envs: { kind: 'list', value: 'NAMES', description: 'these frameworks alone' },
    profile: profileOption,
    jobs: {
      kind: 'count',
      value: 'N',
      description: 'tests at once, and requests at once (default: by processors and memory)',
    },
    provider: baxProviderOption,
  },
  async run({ results, resume, k, profile, jobs, provider, ...asking }, { signal, onEvent }) {
    const { renderEval } = await import('../reporters/render-eval.ts');
    const ks = numbersOf(k);
    const common = { profile: profileOf(profile), ks, resume, signal, onEvent, ...given({ jobs, provider }) };
    if (results !== undefined) {
      refuseAll(asking);
      const { gradeTree } = await import('@assay/bax/eval/grade-tree');
      const graded = await gradeTree({ directory: results, ...common });
      return { exitCode: 0, document: graded, render: (terminal) => renderEval(graded, terminal) };
    }
    const { model, endpoint, out, samples, temperature, spec, safety, split, languages, scenarios, envs } = asking;
    if (model === undefined || endpoint === undefined || out === undefined)
      throw new AssayError('BAD_OPTION', {
        option: '--model, --endpoint, --out',
        detail: 'give all three, or --results',
      });
    const most = Math.max(...ks);
    if (samples !== undefined && samples < most)
      throw new AssayError('BAD_OPTION', {
        option: '-k',
        detail: `${most} of ${samples} samples cannot be drawn. Give at least as many --samples`,
      });
    const { evalRows } = await import('@assay/bax/eval/eval-rows');
    const { runEval } = await import('@assay/bax/eval/run-eval');
    const { checkPromptWords } = await import('@assay/bax/eval/check-prompt-words');
    const report = await runEval({
      rows: evalRows({ split, languages, scenarios, envs }),
      model: { name: model, endpoint },
      samples: samples ?? most,
      maxTokens: asking['max-tokens'] ?? 8192,
      out,
      ...checkPromptWords({ spec, safety, temperature }),
      ...given({ requestTimeout: asking['request-timeout'] }),
      ...common,
    });
    return { exitCode: 0, document: report, render: (terminal) => renderEval(report, terminal) };
  },
});

/** Throws `BAD_OPTION` for the first word on what to ask a model. */
function refuseAll(asking: Readonly<Record<string, unknown>>): void {
  const isGiven = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== undefined);
  const name = Object.keys(asking).find((key) => isGiven(asking[key]));
  if (name !== undefined)
    throw new AssayError('BAD_OPTION', {
      option: `--${name}`,
      detail: 'not with --results, which asks no model and grades the whole tree',
    });
}

/** With 1, in ascending order. */
function numbersOf(words: readonly string[]): number[] {
  const bad = words.find((word) => !/^[1-9]\d{0,3}$/.test(word));
  if (bad !== undefined)
    throw new AssayError('BAD_OPTION', { option: '-k', detail: `${bad} is no whole number from 1 to 9999` });
  return [...new Set([1, ...words.map(Number)])].sort((a, b) => a - b);
}
