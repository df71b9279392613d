import { join } from 'node:path';
import { z } from 'zod';
import { unsafePathReason } from '@assay/files/safe-path';
import type { ChangeSet } from '@assay/files/change-set';
import { readManifest } from '@assay/files/tree-manifest';
import { readRegularFile } from '@assay/files/read-regular-file';

const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** submission/manifest.json, as stage 3 leaves it. */
const RecordedManifest = z.strictObject({
  files: z.array(
    z.strictObject({ path: z.string(), executable: z.boolean(), size: z.number(), newLines: z.unknown().optional() }),
  ),
  deleted: z.array(z.string()),
  dropped: z.array(z.unknown()),
});

/**
 * The submission that stage 3 left in a directory: `files/` by content, the rest by `manifest.json`. Null when the
 * directory is no such thing; a problem in one line when the two disagree. No link is followed.
 */
export async function readRecordedSubmission(directory: string): Promise<ChangeSet | { problem: string } | null> {
  const bytes = await readRegularFile(join(directory, 'manifest.json'), MAX_LIST_BYTES);
  const recorded = bytes && RecordedManifest.safeParse(parseJson(bytes.toString('utf8')));
  if (!recorded?.success) return null;
  const { files, deleted } = recorded.data;
  const unsafe = [...files.map(({ path }) => path), ...deleted].find((path) => unsafePathReason(path) !== null);
  if (unsafe !== undefined) return { problem: `its list names ${JSON.stringify(unsafe)}` };
  const { manifest, skipped } = await readManifest(join(directory, 'files'));
  const listed = new Set(files.map(({ path }) => path));
  const stranger = skipped[0]?.path ?? [...manifest.keys()].find((path) => !listed.has(path));
  if (stranger !== undefined) return { problem: `${JSON.stringify(stranger)} is not in its list` };
  const change: ChangeSet = { files: [], deleted };
  for (const { path, executable } of files) {
    const content = manifest.has(path) ? await readRegularFile(join(directory, 'files', path), MAX_FILE_BYTES) : null;
    if (!content) return { problem: `${JSON.stringify(path)} is missing` };
    change.files.push({ path, executable, content });
  }
  return change;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
