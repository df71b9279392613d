import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import type { UpstreamDocument } from '../fetch-upstream.ts';
import { readAnchors } from './html-anchors.ts';
import { parseInstant, type IndexFile } from './index-file.ts';

const Hashes = z.record(z.string(), z.string());
const MetadataMark = z.union([z.boolean(), Hashes]).optional();
const JsonFile = z.object({
  filename: z.string(),
  url: z.string(),
  hashes: Hashes.default({}),
  'requires-python': z.string().nullish(),
  yanked: z.union([z.boolean(), z.string()]).optional(),
  'upload-time': z.string().nullish(),
  'core-metadata': MetadataMark,
  'dist-info-metadata': MetadataMark,
  size: z.number().int().nonnegative().nullish(),
});
const JsonIndex = z.object({ files: z.array(JsonFile) });

/**
 * Reads a project page in JSON (PEP 691, 700) or HTML (PEP 503), by what it is, not by what it was asked to be. Throws
 * `LANE_FAILED`.
 */
export function parseIndex(document: UpstreamDocument): IndexFile[] {
  const text = document.body.toString('utf8');
  return /[/+]json\b/.test(document.contentType) ? parseJson(text, document.url) : parseHtml(text, document.url);
}

function parseJson(text: string, base: URL): IndexFile[] {
  const parsed = JsonIndex.safeParse(tryJson(text));
  if (!parsed.success)
    throw new AssayError('LANE_FAILED', {
      lane: 'pypi',
      detail: 'the upstream sent a project page that is no Simple API JSON',
      status: 502,
    });
  return parsed.data.files.flatMap((file) => {
    const url = fileAddress(file.url, base);
    if (!url) return [];
    const { yanked } = file;
    return [
      {
        filename: file.filename,
        url,
        hashes: lowerCase(file.hashes),
        requiresPython: file['requires-python'] ?? null,
        yanked: yanked === undefined || yanked === false ? null : yanked === true ? '' : yanked,
        uploadedAt: parseInstant(file['upload-time']),
        metadata: metadataHashes(file['core-metadata'] ?? file['dist-info-metadata']),
        size: file.size ?? null,
      },
    ];
  });
}

function parseHtml(text: string, page: URL): IndexFile[] {
  const { base, anchors } = readAnchors(text);
  const start = (base !== null && URL.parse(base, page.href)) || page;
  const files: IndexFile[] = [];
  for (const { attributes, label } of anchors) {
    const url = fileAddress(attributes.get('href') ?? '', start);
    if (!url) continue;
    const fragment = /^#(\w+)=([0-9a-f]+)/i.exec(url.hash);
    url.hash = '';
    files.push({
      filename: label,
      url,
      hashes: fragment?.[1] && fragment[2] ? lowerCase({ [fragment[1]]: fragment[2] }) : {},
      requiresPython: attributes.get('data-requires-python') || null,
      yanked: attributes.get('data-yanked') ?? null,
      uploadedAt: parseInstant(attributes.get('data-upload-time')),
      metadata: metadataHashes(attributes.get('data-core-metadata') ?? attributes.get('data-dist-info-metadata')),
      size: null,
    });
  }
  return files;
}

/** `true` or `sha256=…`. Any other value says only that there is a file. */
function metadataHashes(mark: boolean | string | Record<string, string> | undefined): Record<string, string> | null {
  if (mark === undefined || mark === false) return null;
  if (mark === true) return {};
  if (typeof mark === 'object') return lowerCase(mark);
  const [, algorithm, hex] = /^(\w+)=([0-9a-f]+)$/i.exec(mark) ?? [];
  return algorithm && hex ? lowerCase({ [algorithm]: hex }) : {};
}

function fileAddress(address: string, base: URL): URL | null {
  const url = address === '' ? null : URL.parse(address, base.href);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (base.protocol === 'https:' && url.protocol === 'http:') return null;
  return url;
}

const lowerCase = (hashes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(hashes).map(([algorithm, hex]) => [algorithm.toLowerCase(), hex.toLowerCase()]));

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
