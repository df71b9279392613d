import type { FrameworkPrompt } from '../../framework.ts';
import { SEVERAL_FILES_FORMAT } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const javascriptNestPrompt: FrameworkPrompt = {
  id: 'JavaScript-nest',
  language: 'JavaScript',
  name: 'nest',
  codeFile: null,
  manifest: manifest(import.meta.dirname, 'package.json'),
  instructions: `
The NestJS project is there already, as \`nest new\` makes it.

Write these files of it:
src/app.controller.spec.ts
src/app.controller.ts
src/app.module.ts
src/app.service.ts
src/main.ts

${SEVERAL_FILES_FORMAT}

The app must come up with \`npm run start\`.
`,
  startCommand: 'node dist/main.js',
};
