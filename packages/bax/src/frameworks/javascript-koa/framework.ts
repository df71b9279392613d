import type { Framework } from '../../framework.ts';
import { flattened, javascriptRecipe } from '../recipes/javascript/javascript-recipe.ts';
import { javascriptKoaPrompt } from './prompt.ts';

export const javascriptKoa: Framework = {
  ...javascriptKoaPrompt,
  ...javascriptRecipe(import.meta.dirname, { place: flattened }),
};
