import { open, rm } from 'node:fs/promises';
import { AssayError, STANDARD_TYPES, type Standard } from '@assay/protocol';
import { fetchContent, STANDARD_BYTES } from './content/fetch-content.ts';
import { openContentStore } from './content/open-content-store.ts';
import { unwritable } from '@assay/files/output-place';
import { exampleStandard } from './standards/example-standards.ts';
import { checkStandard, parseStandard, type StandardCheck } from './standards/parse-standard.ts';
import { publicView } from './standards/public-view.ts';

/** Checks a standard and lists its problems. Throws what fetching throws. */
export async function validateStandard(
  reference: string,
  signal?: AbortSignal,
): Promise<StandardCheck & { sha256: string }> {
  const { bytes, sha256 } = await fetchContent(reference, {
    store: openContentStore(),
    maxBytes: STANDARD_BYTES,
    allowLocal: true,
    signal,
  });
  return { ...checkStandard(bytes), sha256 };
}

/** The standard, and what whoever solves it may see of it. Throws `STANDARD_INVALID` and what fetching throws. */
export async function showStandard(
  reference: string,
  signal?: AbortSignal,
): Promise<{ standard: Standard; view: string }> {
  const { bytes } = await fetchContent(reference, {
    store: openContentStore(),
    maxBytes: STANDARD_BYTES,
    allowLocal: true,
    signal,
  });
  const standard = parseStandard(bytes, reference);
  return { standard, view: publicView(standard) };
}

/** Puts a valid standard into the content store, as the bytes that it has. Throws `STANDARD_INVALID`. */
export async function addStandard(
  reference: string,
  signal?: AbortSignal,
): Promise<{ cid: string; size: number; type: Standard['type'] }> {
  const store = openContentStore();
  const { bytes } = await fetchContent(reference, { store, maxBytes: STANDARD_BYTES, allowLocal: true, signal });
  const { type } = parseStandard(bytes, reference);
  return { ...(await store.put(bytes, { signal })), type };
}

/**
 * The text of an example, written to `out` when that is given. Throws `OUTPUT_UNWRITABLE` rather than overwrite
 * anything.
 */
export async function newStandard(type: string, out?: string): Promise<{ text: string; type: Standard['type'] }> {
  const known = STANDARD_TYPES.find((name) => name === type);
  if (!known)
    throw new AssayError('BAD_OPTION', {
      option: 'type',
      detail: `there is no type ${JSON.stringify(type)}. There are: ${STANDARD_TYPES.join(', ')}`,
    });
  const text = `${JSON.stringify(exampleStandard(known), null, 2)}\n`;
  if (out !== undefined) await writeNew(out, text);
  return { text, type: known };
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new AssayError('OUTPUT_UNWRITABLE', { path, detail: 'something is there, and it is not overwritten' })
      : unwritable(path, error);
  });
  try {
    await file.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw unwritable(path, error);
  } finally {
    await file.close();
  }
}
