import { join } from 'node:path';
import type { Framework } from '../../framework.ts';
import { goRecipe } from '../recipes/go/go-recipe.ts';
import { goGinPrompt } from './prompt.ts';

export const goGin: Framework = {
  ...goGinPrompt,
  ...goRecipe(import.meta.dirname, join(import.meta.dirname, '..', 'go-net-http')),
};
