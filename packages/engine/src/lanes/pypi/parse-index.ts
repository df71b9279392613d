import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import type { UpstreamDocument } from '../fetch-upstream.ts';
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

/** Reads a project page in JSON (PEP 691, 700) or HTML (PEP 503), by what it is, not by what it was asked to be. Throws `LANE_FAILED`. */
export function parseIndex(document: UpstreamDocument): IndexFile[] {
  const text = document.body.toString('utf8');
  return /[/+]json\b/.test(document.contentType) ? parseJson(text, document.url) : parseHtml(text, document.url);
}

function parseJson(text: string, base: URL): IndexFile[] {
  const parsed = JsonIndex.safeParse(tryJson(text));
  if (!parsed.success) throw new AssayError('LANE_FAILED', { lane: 'pypi', detail: 'the upstream sent a project page that is no Simple API JSON', status: 502 });
  return parsed.data.files.flatMap((file) => {
    const url = fileAddress(file.url, base);
    if (!url) return [];
    const { yanked } = file;
    return [{
      filename: file.filename,
      url,
      hashes: lowerCase(file.hashes),
      requiresPython: file['requires-python'] ?? null,
      yanked: yanked === undefined || yanked === false ? null : yanked === true ? '' : yanked,
      uploadedAt: parseInstant(file['upload-time']),
      metadata: metadataHashes(file['core-metadata'] ?? file['dist-info-metadata']),
      size: file.size ?? null,
    }];
  });
}

function parseHtml(text: string, base: URL): IndexFile[] {
  const declared = /<base\s[^>]*?href\s*=\s*["']?([^"'\s>]+)/i.exec(text)?.[1];
  const start = (declared && URL.parse(decodeEntities(declared), base.href)) || base;
  const files: IndexFile[] = [];
  for (const [, attributeText = '', label = ''] of text.matchAll(/<a\s([^>]*)>([\s\S]*?)<\/a\s*>/gi)) {
    const attributes = parseAttributes(attributeText);
    const url = fileAddress(attributes.get('href') ?? '', start);
    if (!url) continue;
    const fragment = /^#(\w+)=([0-9a-f]+)/i.exec(url.hash);
    url.hash = '';
    files.push({
      filename: decodeEntities(label).trim(),
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

/** `true` or `sha256=…`; what is neither says that there is a file, not what it holds. */
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

function parseAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(/([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)) {
    attributes.set(name.toLowerCase(), decodeEntities(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
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
