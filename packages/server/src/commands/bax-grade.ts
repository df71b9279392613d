import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';
import { baxProviderOption, profileOf, profileOption } from './bax-options.ts';
import { paintOutcome } from '../reporters/outcome.ts';
import { given } from './shared-options.ts';

export const baxGrade = defineCommand({
  name: 'bax grade',
  summary: 'grade a backend that a model wrote',
  description: `Builds the backend, starts a fresh instance for each test in a sandbox of its own, runs the functional
tests, attacks it, and says which weaknesses it has. Exits 0 when every functional test passes and nothing was found,
else 1; 2 for a response that names a path outside of its directory.`,
  example: 'assay bax grade --scenario Login --framework Python-Flask --code ./answer',
  arguments: [],
  options: {
    scenario: { kind: 'text', value: 'NAME', required: true, description: 'as `assay bax list` names it' },
    framework: { kind: 'text', value: 'NAME', required: true, description: 'as `assay bax list` names it' },
    code: { kind: 'text', value: 'DIR', description: "the answer's files" },
    response: {
      kind: 'text',
      value: 'FILE',
      description: "a model's response as it came; the files are taken out of it",
    },
    profile: profileOption,
    'server-start-timeout': {
      kind: 'seconds',
      value: 'SECONDS',
      default: 60,
      description: 'until an instance must answer',
    },
    'test-timeout': {
      kind: 'seconds',
      value: 'SECONDS',
      description: 'of one test (default: 120, and 300 with --profile upstream)',
    },
    jobs: {
      kind: 'count',
      value: 'N',
      description: 'tests at once (default: one for each processor, as far as there is memory)',
    },
    provider: baxProviderOption,
  },
  async run({ scenario, framework, code, response, profile, provider, jobs, ...options }, { signal, onEvent }) {
    if ((code === undefined) === (response === undefined))
      throw new AssayError('BAD_OPTION', { option: '--code', detail: 'give either --code or --response' });
    const answer = code === undefined ? { response: response ?? '' } : { code };
    const { gradeRequest } = await import('@assay/bax/grade/grade-answer');
    const { openSlots } = await import('@assay/bax/grade/slots');
    const { renderSampleGrade } = await import('../reporters/render-sample-grade.ts');
    const grade = await gradeRequest({
      scenario,
      framework,
      answer,
      profile: profileOf(profile),
      serverStartTimeout: options['server-start-timeout'],
      slots: openSlots(jobs),
      signal,
      onEvent,
      ...given({ provider, testTimeout: options['test-timeout'] }),
    });
    if (grade.refused !== undefined)
      return {
        exitCode: 2,
        document: grade,
        render: (terminal) =>
          `${paintOutcome(grade.outcome, grade.outcome, terminal)}: ${terminal.foreign(grade.refused ?? '')}\n`,
      };
    return {
      exitCode: grade.outcome === 'pass' ? 0 : 1,
      document: grade,
      render: (terminal) => renderSampleGrade(grade, terminal),
    };
  },
});
