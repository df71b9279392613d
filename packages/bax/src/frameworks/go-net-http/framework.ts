import type { Framework } from '../../framework.ts';
import { goRecipe } from '../recipes/go/go-recipe.ts';
import { goNetHttpPrompt } from './prompt.ts';

export const goNetHttp: Framework = { ...goNetHttpPrompt, ...goRecipe(import.meta.dirname) };
