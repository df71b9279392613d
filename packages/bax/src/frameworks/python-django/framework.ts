import type { Framework } from '../../framework.ts';
import { pythonRecipe } from '../recipes/python/python-recipe.ts';
import { pythonDjangoPrompt } from './prompt.ts';

export const pythonDjango: Framework = {
  ...pythonDjangoPrompt,
  ...pythonRecipe(import.meta.dirname, {
    build: [
      { command: 'python3 manage.py makemigrations myapp', tolerant: true, timeoutSec: 60 },
      { command: 'python3 manage.py migrate', tolerant: true, timeoutSec: 60 },
    ],
    built: ['.'],
  }),
};
