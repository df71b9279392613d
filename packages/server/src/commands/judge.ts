import type { EachJudged } from '@assay/judging/judge-standard';
import type { Judgements } from '@assay/protocol';
import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';

export const judge = defineCommand({
  name: 'judge',
  summary: 'judge a submission by an evaluation document',
  description: `Judges by test cases, by a model (judge_prompt), by a checklist, or by several of them (composite). The
score is 0 to 100, rounded down, and passes at 60, or at what the document asks for above that. Test cases run in a
sandbox that never holds an expected value. A document is a file, a CID, ipfs:// or https://; so is a submission.
Several submissions are judged one after the other; --receipt and --answers take one. Exits 0 when all pass, 1 on fail
and on an invalid judgement.`,
  example: 'assay judge standard.json --submission solution.js',
  arguments: [{ name: 'standard', description: 'the evaluation document' }],
  options: {
    submission: {
      kind: 'list',
      value: 'REF',
      required: true,
      description: 'what is to be judged: a file, a CID, ipfs:// or https://; may be repeated',
    },
    provider: {
      kind: 'text',
      value: 'NAME',
      description:
        'what runs test cases and probes: quickjs, node-vm, docker:IMAGE, or one that `assay doctor` lists ' +
        '(default: quickjs for JavaScript, else the strongest here)',
    },
    endpoint: {
      kind: 'url',
      value: 'URL',
      description: 'of a model that judges, OpenAI-compatible or Anthropic; its key is in ASSAY_JUDGE_KEY',
    },
    model: { kind: 'text', value: 'NAME', description: 'name of that model' },
    samples: {
      kind: 'count',
      value: 'N',
      description:
        "how often the model scores each criterion, an odd number; the median counts (default: the document's, else 3)",
    },
    answers: { kind: 'text', value: 'FILE', description: 'answers to a checklist, as docs/standards.md shows' },
    receipt: { kind: 'text', value: 'FILE', description: 'write a signed receipt there' },
    'allow-secrets': {
      kind: 'flag',
      description: 'let a provider that is no boundary run although the environment holds what looks like secrets',
    },
  },
  async run(input, { signal }) {
    const { standard, submission: submissions, provider, endpoint, model, samples, answers, receipt } = input;
    const [submission = ''] = submissions;
    if (submissions.length > 1 && (receipt !== undefined || answers !== undefined))
      throw new AssayError('BAD_OPTION', {
        option: receipt === undefined ? '--answers' : '--receipt',
        detail: 'it is about one submission; give --submission once',
      });
    const { judgeByStandard, judgeEachByStandard } = await import('@assay/judging/judge-standard');
    const { askPerson } = await import('../ask-person.ts');
    const { renderEachJudgement, renderJudgement } = await import('../reporters/render-judgement.ts');
    const person = askPerson(signal);
    const options = {
      standard,
      signal,
      provider,
      endpoint,
      model,
      samples,
      ask: person?.ask,
      allowSecrets: input['allow-secrets'],
    };
    try {
      if (submissions.length > 1) {
        const judged = await judgeEachByStandard(submissions, options);
        return {
          exitCode: worstExitCode(judged),
          document: { judgements: judged.map(documentOf) },
          render: (terminal) => renderEachJudgement(judged, terminal),
        };
      }
      const { judgement } = await judgeByStandard({ ...options, submission, answers, receipt });
      return {
        exitCode: judgement.outcome === 'pass' ? 0 : 1,
        document: judgement,
        render: (terminal) => renderJudgement(judgement, terminal),
      };
    } finally {
      person?.close();
    }
  },
});

function documentOf(judged: EachJudged): Judgements['judgements'][number] {
  if ('judgement' in judged) return judged;
  const { code, kind, message } = judged.failure;
  return { submission: judged.submission, error: { code, kind, message } };
}

/** Bad input first, then a machine that cannot, then any answer but pass. */
function worstExitCode(judged: readonly EachJudged[]): 0 | 1 | 2 | 5 {
  const kinds = judged.map((each) => ('failure' in each ? each.failure.kind : each.judgement.outcome));
  if (kinds.some((kind) => kind === 'user' || kind === 'task')) return 2;
  if (kinds.includes('machine')) return 5;
  return kinds.every((kind) => kind === 'pass') ? 0 : 1;
}
