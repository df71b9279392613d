import type { PackageFacet } from '../package-facet.ts';

export const nodePackages: PackageFacet = {
  index: 'npm',
  osvNames: ['npm'],
  manifests: /(?:^|\/)package\.json$/,
  installedAt: () => Promise.resolve('/workspace/node_modules'),
};
