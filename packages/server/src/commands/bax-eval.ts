import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';
import { baxProviderOption, profileOf, profileOption } from './bax-options.ts';
import { given } from './shared-options.ts';

export const baxEval = defineCommand({
  name: 'bax eval',
  summary: 'ask a model for backends, grade them, and sum up',
  description: `Writes a tree of results that BaxBench's own evaluator reads, with a grade beside each sample, and prints pass@k (all functional tests pass) and
sec_pass@k (and nothing was found) with 95 % intervals. With --results, grades a tree that was generated elsewhere, and asks no model. Ctrl-C loses
nothing that was answered: --resume goes on.`,
  example: 'assay bax eval --model M --endpoint http://127.0.0.1:8000/v1 --scenarios Login --samples 5 --out results',
  arguments: [],
  options: {
    model: { kind: 'text', value: 'NAME', description: 'exact name of the model' },
    endpoint: { kind: 'url', value: 'URL', description: 'OpenAI-compatible or Anthropic; its key is in ASSAY_MODEL_KEY' },
    out: { kind: 'text', value: 'DIR', description: 'where the tree of results goes: new, or empty, or with --resume one to go on with' },
    results: { kind: 'text', value: 'DIR', description: 'in place of --model, --endpoint and --out: a tree that was generated elsewhere' },
    resume: { kind: 'flag', description: 'keep what is there, and do the rest' },
    samples: { kind: 'count', value: 'N', default: 1, description: 'for each row' },
    k: { kind: 'list', value: 'N', description: 'of pass@k (may be repeated; default: 1)' },
    temperature: { kind: 'text', value: 'T', description: "0 to 2 (default: the service's own)" },
    'max-tokens': { kind: 'count', value: 'N', default: 8192, description: 'of one response' },
    spec: { kind: 'text', value: 'NAME', default: 'openapi', description: 'how the API is told: openapi or text' },
    safety: { kind: 'text', value: 'NAME', default: 'none', description: 'what is said of security: none, generic or specific' },
    split: { kind: 'text', value: 'NAME', description: 'train or eval: only that side of the split that `assay bax split` makes' },
    languages: { kind: 'list', value: 'NAMES', description: 'Python, JavaScript, Go, PHP, Ruby, Rust, or all (default: Python)' },
    scenarios: { kind: 'list', value: 'NAMES', description: 'these scenarios alone (default: all that have tests)' },
    envs: { kind: 'list', value: 'NAMES', description: 'these frameworks alone' },
    profile: profileOption,
    jobs: { kind: 'count', value: 'N', description: 'tests at once, and requests at once (default: by processors and memory)' },
    provider: baxProviderOption,
  },
  async run({ model, endpoint, out, results, resume, samples, k, temperature, spec, safety, split, languages, scenarios, envs, profile, jobs, provider, ...options }, { signal, onEvent }) {
    const { renderEval } = await import('../reporters/render-eval.ts');
    const common = { profile: profileOf(profile), ks: numbersOf(k), signal, onEvent, ...given({ jobs, provider }) };
    if (results !== undefined) {
      const given = Object.entries({ model, endpoint, out }).find(([, value]) => value !== undefined);
      if (given) throw new AssayError('BAD_OPTION', { option: `--${given[0]}`, detail: 'not with --results, which asks no model' });
      const { gradeTree } = await import('@assay/bax/eval/grade-tree');
      const graded = await gradeTree({ directory: results, ...common });
      return { exitCode: 0, document: graded, render: (terminal) => renderEval(graded, terminal) };
    }
    if (model === undefined || endpoint === undefined || out === undefined) throw new AssayError('BAD_OPTION', { option: '--model, --endpoint, --out', detail: 'give all three, or --results' });
    const { evalRows } = await import('@assay/bax/eval/eval-rows');
    const { runEval } = await import('@assay/bax/eval/run-eval');
    const { checkPromptWords } = await import('@assay/bax/eval/check-prompt-words');
    const report = await runEval({
      rows: evalRows({ split, languages, scenarios, envs }), model: { name: model, endpoint }, samples, maxTokens: options['max-tokens'], out, resume, ...checkPromptWords({ spec, safety, temperature }), ...common,
    });
    return { exitCode: 0, document: report, render: (terminal) => renderEval(report, terminal) };
  },
});

function numbersOf(words: readonly string[]): number[] {
  const bad = words.find((word) => !/^[1-9]\d{0,3}$/.test(word));
  if (bad !== undefined) throw new AssayError('BAD_OPTION', { option: '--k', detail: `${bad} is no whole number of at least 1` });
  return words.length === 0 ? [1] : [...new Set(words.map(Number))].sort((a, b) => a - b);
}
