import type { Framework } from '../../framework.ts';
import { pythonRecipe } from '../recipes/python/python-recipe.ts';
import { pythonAiohttpPrompt } from './prompt.ts';

export const pythonAiohttp: Framework = {
  ...pythonAiohttpPrompt,
  ...pythonRecipe(import.meta.dirname, {
    preload: ['aiohttp.web', 'concurrent.futures.thread', 'encodings.idna', 'sqlite3', 'jwt'],
  }),
};
