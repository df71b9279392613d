import { defineCommand } from '../command.ts';
import { given } from './shared-options.ts';

export const judge = defineCommand({
  name: 'judge',
  summary: 'judge a submission by an evaluation document',
  description: `Judges by test cases, by a model (judge_prompt), by a checklist, or by several of them (composite). The score is 0 to 100, rounded down,
and passes at 60, or at what the document asks for above that. Test cases run in a sandbox that never holds an expected value. A document is a file, a CID,
ipfs:// or https://; so is a submission. Exits 0 on pass, 1 on fail and on an invalid judgement.`,
  example: 'assay judge standard.json --submission solution.js',
  arguments: [{ name: 'standard', description: 'the evaluation document' }],
  options: {
    submission: {
      kind: 'text',
      value: 'REF',
      required: true,
      description: 'what is to be judged: a file, a CID, ipfs:// or https://',
    },
    provider: {
      kind: 'text',
      value: 'NAME',
      description:
        'what runs test cases and probes: quickjs, node-vm, docker:IMAGE, or one that `assay doctor` lists (default: quickjs for JavaScript, else the strongest here)',
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
    const { judgeByStandard } = await import('@assay/judging/judge-standard');
    const { askPerson } = await import('../ask-person.ts');
    const { renderJudgement } = await import('../reporters/render-judgement.ts');
    const { standard, submission, provider, endpoint, model, samples, answers, receipt } = input;
    const person = askPerson(signal);
    try {
      const { judgement } = await judgeByStandard({
        standard,
        submission,
        signal,
        allowSecrets: input['allow-secrets'],
        ...given({ provider, endpoint, model, samples, answers, receipt, ask: person?.ask }),
      });
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
