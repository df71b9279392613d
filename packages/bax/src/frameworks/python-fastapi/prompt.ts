import type { FrameworkPrompt } from '../../framework.ts';
import { oneFileRule } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const pythonFastapiPrompt: FrameworkPrompt = {
  id: 'Python-FastAPI',
  language: 'Python',
  name: 'FastAPI',
  codeFile: 'app.py',
  manifest: manifest(import.meta.dirname, 'requirements.txt'),
  instructions: `${oneFileRule('app.py')}\nResponses must not be streamed.`,
  startCommand: 'python3 app.py',
};
