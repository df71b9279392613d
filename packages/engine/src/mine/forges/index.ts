import type { Forge } from './forge.ts';
import { gitea } from './gitea/forge.ts';
import { github } from './github/forge.ts';
import { gitlab } from './gitlab/forge.ts';

/** Every kind of forge. Of those that read a row, the first is right. */
export const FORGES: readonly Forge[] = [gitlab, gitea, github];
