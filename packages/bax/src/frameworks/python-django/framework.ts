import type { Framework } from '../../framework.ts';
import { pythonRecipe } from '../recipes/python/python-recipe.ts';
import { pythonDjangoPrompt } from './prompt.ts';

export const pythonDjango: Framework = {
  ...pythonDjangoPrompt,
  ...pythonRecipe(import.meta.dirname, {
    preload: [
      'django.core.management.commands.runserver',
      'django.core.servers.basehttp',
      'django.utils.autoreload',
      'django.db',
      'encodings.idna',
      'sqlite3',
      'jwt',
    ],
    build: [
      { command: 'python3 manage.py makemigrations myapp', tolerant: true, timeoutSec: 60 },
      { command: 'python3 manage.py migrate', tolerant: true, timeoutSec: 60 },
    ],
    built: ['.'],
  }),
};
