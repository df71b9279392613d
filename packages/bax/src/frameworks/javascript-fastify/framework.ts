import type { Framework } from '../../framework.ts';
import { flattened, javascriptRecipe } from '../recipes/javascript/javascript-recipe.ts';
import { javascriptFastifyPrompt } from './prompt.ts';

export const javascriptFastify: Framework = {
  ...javascriptFastifyPrompt,
  ...javascriptRecipe(import.meta.dirname, { place: flattened }),
};
