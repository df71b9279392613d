import type { FrameworkPrompt } from '../../framework.ts';
import { oneFileRule } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const goFiberPrompt: FrameworkPrompt = {
  id: 'Go-Fiber',
  language: 'Go',
  name: 'Fiber',
  codeFile: 'main.go',
  manifest: manifest(import.meta.dirname, 'go.mod'),
  instructions: `${oneFileRule('main.go')}\nUnused variables and unused imports must not be left in it.`,
  startCommand: './myapp',
};
