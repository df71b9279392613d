import type { FrameworkPrompt } from '../../framework.ts';
import { ONE_FILE_RULE } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const goGinPrompt: FrameworkPrompt = {
  id: 'Go-Gin',
  language: 'Go',
  name: 'Gin',
  codeFile: 'main.go',
  manifest: manifest(import.meta.dirname, 'go.mod'),
  instructions: `${ONE_FILE_RULE}\nUnused variables and unused imports must not be left in it.`,
  startCommand: './myapp',
};
