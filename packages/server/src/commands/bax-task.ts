import { AssayError } from '@assay/protocol/errors';
import { defineCommand } from '../command.ts';
import { profileOf, profileOption } from './bax-options.ts';

export const baxTask = defineCommand({
  name: 'bax task',
  summary: 'make rows tasks that any agent can attempt',
  description: `Writes a scenario in a framework as a task: the agent writes the app into its workspace, with the
framework's packages at hand, and what it wrote is graded as \`assay bax grade\` does. One row by --scenario and
--framework is the directory itself; several by --scenarios, --envs and --languages lie in it. Where there is a
reference app the task carries it; --prove shows with it that the task can be solved.`,
  example: 'assay bax task --scenario Calculator --framework Python-FastAPI --out tasks/calculator',
  arguments: [],
  options: {
    out: {
      kind: 'text',
      value: 'DIR',
      required: true,
      description: 'the directory that becomes the task, or that of several',
    },
    scenario: { kind: 'text', value: 'NAME', description: 'as `assay bax list` names it' },
    framework: { kind: 'text', value: 'NAME', description: 'as `assay bax list` names it' },
    scenarios: {
      kind: 'list',
      value: 'NAMES',
      description: 'of several: these scenarios alone (default: all that have tests)',
    },
    envs: { kind: 'list', value: 'NAMES', description: 'of several: these frameworks alone' },
    languages: {
      kind: 'list',
      value: 'NAMES',
      description: 'of several: Python, JavaScript, Go, PHP, Ruby, Rust, or all (default: Python, and all with --envs)',
    },
    spec: { kind: 'text', value: 'TYPE', default: 'openapi', description: 'how the API is told: openapi or text' },
    safety: {
      kind: 'text',
      value: 'TYPE',
      default: 'none',
      description: 'what is said of security: none, generic or specific',
    },
    profile: profileOption,
    prove: {
      kind: 'flag',
      description: 'write no task whose reference app does not pass 3 of 3 times, or whose empty submission passes',
    },
  },
  async run(
    { out, scenario, framework, scenarios, envs, languages, spec, safety, profile, prove },
    { signal, onEvent },
  ) {
    const several = [...scenarios, ...envs, ...languages].length > 0;
    if ((scenario === undefined) !== (framework === undefined) || (scenario === undefined) !== several) {
      throw new AssayError('BAD_OPTION', {
        option: '--scenario',
        detail: 'give --scenario and --framework, or for several rows some of --scenarios, --envs and --languages',
      });
    }
    const { makeScenarioTask, makeScenarioTasks } = await import('@assay/bax/task/make-scenario-tasks');
    const { taskRows } = await import('@assay/bax/task/task-rows');
    const { checkPromptWords } = await import('@assay/bax/eval/check-prompt-words');
    const { renderScenarioTasks } = await import('../reporters/render-scenario-tasks.ts');
    const options = {
      ...checkPromptWords({ spec, safety, temperature: undefined }),
      profile: profileOf(profile),
      out,
      prove,
      signal,
      onEvent,
    };
    const result =
      scenario === undefined || framework === undefined
        ? await makeScenarioTasks(taskRows({ scenarios, envs, languages }), options)
        : await makeScenarioTask({ scenario, framework }, options);
    return { exitCode: 0, document: result, render: (terminal) => renderScenarioTasks(result, terminal) };
  },
});
