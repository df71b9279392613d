import type { Framework } from '../../framework.ts';
import { railsRecipe } from '../recipes/ruby/rails-recipe.ts';
import { rubyRailsPrompt } from './prompt.ts';

export const rubyRails: Framework = { ...rubyRailsPrompt, ...railsRecipe(import.meta.dirname) };
