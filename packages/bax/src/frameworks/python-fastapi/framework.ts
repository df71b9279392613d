import type { Framework } from '../../framework.ts';
import { pythonRecipe } from '../recipes/python/python-recipe.ts';
import { pythonFastapiPrompt } from './prompt.ts';

export const pythonFastapi: Framework = { ...pythonFastapiPrompt, ...pythonRecipe(import.meta.dirname) };
