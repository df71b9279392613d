import { defineCommand } from '../command.ts';

export const baxPrompt = defineCommand({
  name: 'bax prompt',
  summary: 'print what a model is asked for',
  description:
    'The message that asks for a backend: a scenario in a framework. It is always the same for the same words.',
  example: 'assay bax prompt --scenario Login --framework Python-Flask',
  arguments: [],
  options: {
    scenario: { kind: 'text', value: 'NAME', required: true, description: 'as `assay bax list` names them' },
    framework: { kind: 'text', value: 'NAME', required: true, description: 'as `assay bax list` names them' },
    spec: { kind: 'text', value: 'TYPE', default: 'openapi', description: 'how the API is told: openapi or text' },
    safety: {
      kind: 'text',
      value: 'TYPE',
      default: 'none',
      description: 'what is said of security: none, generic or specific',
    },
  },
  async run(input) {
    const { promptFor } = await import('@assay/bax/prompt/prompt-for');
    const document = promptFor(input);
    return { exitCode: 0, document, render: () => `${document.prompt}\n` };
  },
});
