import type { FrameworkPrompt } from '../../framework.ts';
import { oneFileRule } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const javascriptExpressPrompt: FrameworkPrompt = {
  id: 'JavaScript-express',
  language: 'JavaScript',
  name: 'express',
  codeFile: 'app.js',
  manifest: manifest(import.meta.dirname, 'package.json'),
  instructions: oneFileRule('app.js'),
  startCommand: 'node app.js',
};
