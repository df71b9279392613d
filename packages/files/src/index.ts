export { writeChange } from './apply-change.ts';
export { writeAtomic, writeJsonAtomic } from './atomic-write.ts';
export type { ChangeSet, FileChange } from './change-set.ts';
export { digestChange } from './digest-change.ts';
export { cacheDirectory } from './store/paths.ts';
export { prepareLayer } from './store/prepare-layer.ts';
export { collectChange, readManifest, type TreeManifest } from './tree-manifest.ts';
