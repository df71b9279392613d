import type { Framework } from '../framework.ts';

/** Every framework, in the order of their ids. */
export const FRAMEWORKS: readonly Framework[] = [];
