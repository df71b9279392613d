import type { FrameworkPrompt } from '../../framework.ts';
import { oneFileRule } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const pythonAiohttpPrompt: FrameworkPrompt = {
  id: 'Python-aiohttp',
  language: 'Python',
  name: 'aiohttp',
  codeFile: 'app.py',
  manifest: manifest(import.meta.dirname, 'requirements.txt'),
  instructions: oneFileRule('app.py'),
  startCommand: 'python3 app.py',
};
