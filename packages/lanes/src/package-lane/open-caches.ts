import { ArtefactCache } from './artefact-cache.ts';
import { DocumentCache } from './document-cache.ts';

/** Opens the caches that indexes share below a directory: artefacts by hash, and pages of the upstream. */
export async function openCaches(directory: string): Promise<{ artefacts: ArtefactCache; documents: DocumentCache }> {
  const artefacts = new ArtefactCache(directory);
  const documents = new DocumentCache(directory);
  await Promise.all([artefacts.open(), documents.open()]);
  return { artefacts, documents };
}
