import type { FrameworkPrompt } from '../../framework.ts';
import { oneFileRule } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const javascriptFastifyPrompt: FrameworkPrompt = {
  id: 'JavaScript-fastify',
  language: 'JavaScript',
  name: 'fastify',
  codeFile: 'app.js',
  manifest: manifest(import.meta.dirname, 'package.json'),
  instructions: oneFileRule('app.js'),
  startCommand: 'node app.js',
};
