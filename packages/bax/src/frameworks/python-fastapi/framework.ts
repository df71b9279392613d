import type { Framework } from '../../framework.ts';
import { pythonRecipe } from '../recipes/python/python-recipe.ts';
import { pythonFastapiPrompt } from './prompt.ts';

export const pythonFastapi: Framework = {
  ...pythonFastapiPrompt,
  ...pythonRecipe(import.meta.dirname, {
    preload: [
      'fastapi',
      'uvicorn',
      'uvicorn.lifespan.on',
      'uvicorn.loops.auto',
      'uvicorn.protocols.http.auto',
      'uvicorn.protocols.websockets.auto',
      'concurrent.futures.thread',
      'encodings.idna',
      'multipart.multipart',
      'sqlite3',
      'jwt',
    ],
  }),
};
