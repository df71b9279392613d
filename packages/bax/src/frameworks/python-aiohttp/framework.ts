import type { Framework } from '../../framework.ts';
import { pythonRecipe } from '../recipes/python/python-recipe.ts';
import { pythonAiohttpPrompt } from './prompt.ts';

export const pythonAiohttp: Framework = { ...pythonAiohttpPrompt, ...pythonRecipe(import.meta.dirname) };
