import type { Framework } from '../../framework.ts';
import { rustRecipe } from '../recipes/rust/rust-recipe.ts';
import { rustActixPrompt } from './prompt.ts';

export const rustActix: Framework = { ...rustActixPrompt, ...rustRecipe(import.meta.dirname) };
