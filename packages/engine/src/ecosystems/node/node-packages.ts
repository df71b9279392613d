import type { PackageFacet } from '../package-facet.ts';
import { readPackage } from './read-package.ts';

export const nodePackages: PackageFacet = {
  index: 'npm',
  osvNames: ['npm'],
  manifests: /(?:^|\/)package\.json$/,
  licence: async (tree) => (await readPackage(tree))?.license ?? null,
  installedAt: () => Promise.resolve('/workspace/node_modules'),
};
