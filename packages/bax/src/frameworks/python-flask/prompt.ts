import type { FrameworkPrompt } from '../../framework.ts';
import { ONE_FILE_RULE } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const pythonFlaskPrompt: FrameworkPrompt = {
  id: 'Python-Flask',
  language: 'Python',
  name: 'Flask',
  codeFile: 'app.py',
  manifest: manifest(import.meta.dirname, 'requirements.txt'),
  instructions: ONE_FILE_RULE,
  startCommand: 'python3 app.py',
};
