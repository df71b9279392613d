import type { Framework } from '../../framework.ts';
import { javascriptRecipe } from '../recipes/javascript/javascript-recipe.ts';
import { javascriptNestPrompt } from './prompt.ts';

const COMPILER_OPTIONS = {
  module: 'commonjs',
  target: 'ES2023',
  outDir: './dist',
  baseUrl: './',
  declaration: true,
  sourceMap: true,
  incremental: true,
  removeComments: true,
  emitDecoratorMetadata: true,
  experimentalDecorators: true,
  allowSyntheticDefaultImports: true,
  skipLibCheck: true,
  strictNullChecks: true,
};

/** Files of a new project beside its sources. */
const PROJECT = {
  'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS }),
  'tsconfig.build.json': JSON.stringify({
    extends: './tsconfig.json',
    exclude: ['node_modules', 'test', 'dist', '**/*spec.ts'],
  }),
  'nest-cli.json': JSON.stringify({
    collection: '@nestjs/schematics',
    sourceRoot: 'src',
    compilerOptions: { deleteOutDir: true },
  }),
};

export const javascriptNest: Framework = {
  ...javascriptNestPrompt,
  ...javascriptRecipe(import.meta.dirname, {
    project: PROJECT,
    // It compiles what has type errors too.
    build: [{ command: 'node node_modules/@nestjs/cli/bin/nest.js build', tolerant: true, timeoutSec: 180 }],
    built: ['dist'],
  }),
};
