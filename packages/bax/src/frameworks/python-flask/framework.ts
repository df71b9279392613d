import type { Framework } from '../../framework.ts';
import { pythonRecipe } from '../recipes/python/python-recipe.ts';
import { pythonFlaskPrompt } from './prompt.ts';

export const pythonFlask: Framework = {
  ...pythonFlaskPrompt,
  ...pythonRecipe(import.meta.dirname, {
    preload: ['flask', 'werkzeug.serving', 'werkzeug.debug', 'encodings.idna', 'sqlite3', 'jwt'],
  }),
};
