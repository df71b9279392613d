import type { Framework } from '../../framework.ts';
import { flattened, javascriptRecipe } from '../recipes/javascript/javascript-recipe.ts';
import { javascriptExpressPrompt } from './prompt.ts';

export const javascriptExpress: Framework = {
  ...javascriptExpressPrompt,
  ...javascriptRecipe(import.meta.dirname, { place: flattened }),
};
