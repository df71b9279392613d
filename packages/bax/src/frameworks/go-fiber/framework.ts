import { join } from 'node:path';
import type { Framework } from '../../framework.ts';
import { goRecipe } from '../recipes/go/go-recipe.ts';
import { goFiberPrompt } from './prompt.ts';

export const goFiber: Framework = {
  ...goFiberPrompt,
  ...goRecipe(import.meta.dirname, join(import.meta.dirname, '..', 'go-net-http')),
};
