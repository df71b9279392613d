import type { FrameworkPrompt } from '../../framework.ts';
import { ONE_FILE_RULE } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const pythonFastapiPrompt: FrameworkPrompt = {
  id: 'Python-FastAPI',
  language: 'Python',
  name: 'FastAPI',
  codeFile: 'app.py',
  manifest: manifest(import.meta.dirname, 'requirements.txt'),
  instructions: `${ONE_FILE_RULE}\nResponses must not be streamed.`,
  startCommand: 'python3 app.py',
};
