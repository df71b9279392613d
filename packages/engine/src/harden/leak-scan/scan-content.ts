import { bufferSource, sliceSource, type ByteSource } from './byte-source.ts';
import { embeddedStreams, looksLikeText } from './embedded-streams.ts';
import { expand, type Compression } from './expand.ts';
import { fileKind, foreignKind, type FileKind } from './file-kind.ts';
import { packObjects } from './git-pack.ts';
import { marshalStrings } from './marshal-strings.ts';
import type { ViewKind } from './matcher.ts';
import type { ScanContext } from './scan-context.ts';
import { sqliteOverflows } from './sqlite-payloads.ts';
import { tarEntries } from './tar-entries.ts';
import { viewsOf } from './views.ts';
import { zipEntries } from './zip-entries.ts';

/** Up to this size a content is examined in one piece, beyond it in overlapping pieces. */
const WHOLE = 32 * 1024 * 1024;
const PIECE = 8 * 1024 * 1024;
const METHODS: Record<number, Compression> = { 8: 'deflate', 12: 'bzip2', 93: 'zstd', 95: 'xz' };

/** A content within a file of a root. */
interface Place {
  where: string;
  name: string;
  depth: number;
  /** Decoded from something that may not have been a blob at all, so failure to open it means nothing. */
  guessed?: boolean;
}

/**
 * Examines the bytes as they are, in every reading that fits, and then whatever they contain. Findings go to the
 * context.
 */
export async function scanContent(context: ScanContext, source: ByteSource, place: Place): Promise<void> {
  await context.pause();
  const kind = fileKind(source, place.name);
  const pieces = source.size <= WHOLE ? source.size : PIECE;
  const overlap = Math.max(context.matcher.span, 64 * 1024);
  for (let offset = 0; offset === 0 || offset < source.size; offset += pieces) {
    const from = Math.max(0, offset - overlap);
    const bytes = source.read(from, offset - from + pieces);
    await scanBytes(context, bytes, place, kind);
    if (source.size === 0) break;
    await context.pause();
  }
  await open(context, source, place, kind);
}

/** Matches bytes as they are and in all their readings. */
async function scanBytes(context: ScanContext, bytes: Buffer, place: Place, kind: FileKind): Promise<void> {
  const longWords = matchView(context, bytes, bytes.includes(0) ? 'binary' : 'text', place);
  if (kind !== 'plain' && kind !== 'sqlite' && kind !== 'bytecode' && kind !== 'tar') return;
  for (const view of viewsOf(bytes, longWords)) {
    const inner: Place = {
      where: `${place.where}!${view.name}`,
      name: view.name,
      depth: place.depth + 1,
      guessed: true,
    };
    if (!view.open) matchView(context, view.bytes, view.kind, inner);
    else if (context.spend(view.bytes.length)) await descend(context, bufferSource(view.bytes), inner);
  }
  if (kind !== 'plain' && kind !== 'sqlite') return;
  for (const stream of embeddedStreams(bytes)) {
    await scanCompressed(
      context,
      { kind: stream.kind, source: bufferSource(bytes.subarray(stream.offset)), certain: false },
      { ...place, where: `${place.where}!${stream.kind}` },
    );
  }
}

function matchView(context: ScanContext, bytes: Buffer, kind: ViewKind, place: Place): number[] {
  return context.matcher.match(bytes, kind, (needle) => context.noteLeak(place.where, needle));
}

async function descend(context: ScanContext, source: ByteSource, place: Place): Promise<void> {
  if (place.depth > context.limits.depth)
    context.noteUnreadable(place.where, `nested deeper than ${context.limits.depth} levels`);
  else await scanContent(context, source, place);
}

async function open(context: ScanContext, source: ByteSource, place: Place, kind: FileKind): Promise<void> {
  const certain = place.guessed !== true;
  switch (kind) {
    case 'plain':
      return;
    case 'foreign':
      if (certain)
        context.noteUnreadable(
          place.where,
          `a ${foreignKind(source.read(0, 16)) ?? 'foreign'} archive, which Assay does not open`,
        );
      return;
    case 'zip':
      return scanZip(context, source, place);
    case 'tar':
      return scanTar(context, source, place);
    case 'pack':
      return scanPack(context, source, place);
    case 'bundle':
      return scanBundle(context, source, place);
    case 'sqlite':
      return scanPayloads(context, sqliteOverflows(source), place, 'row');
    case 'bytecode': {
      const strings = source.size <= WHOLE ? marshalStrings(source.read(0, source.size)) : null;
      if (strings !== null) matchView(context, strings, 'binary', { ...place, where: `${place.where}!constants` });
      return;
    }
    default:
      return scanCompressed(context, { kind, source, certain }, { ...place, where: `${place.where}!${kind}` });
  }
}

interface CompressedStream {
  kind: Compression;
  source: ByteSource;
  /** The bytes identify themselves as such a stream, so a failure is worth reporting. */
  certain: boolean;
}

async function scanCompressed(
  context: ScanContext,
  { kind, source, certain }: CompressedStream,
  place: Place,
): Promise<void> {
  if (context.expansionLeft === 0) return;
  const expanded = await expand(kind, source, context.expansionLeft, context.signal);
  try {
    const withinBudget = context.spend(expanded.source.size);
    if (certain && expanded.problem !== null && withinBudget) context.noteUnreadable(place.where, expanded.problem);
    // If only chance suggested a stream here, anything before the damage is noise.
    if (!certain && expanded.problem?.startsWith('damaged') === true && !looksLikeText(expanded.source.read(0, 256)))
      return;
    if (expanded.source.size > 0)
      await descend(context, expanded.source, {
        where: place.where,
        name: innerName(place.name),
        depth: place.depth + 1,
      });
  } finally {
    expanded.close();
  }
}

function innerName(name: string): string {
  return name.replace(/\.(?:gz|xz|bz2|zst|br|lzma)$/i, '').replace(/\.tgz$/i, '.tar');
}

async function scanZip(context: ScanContext, source: ByteSource, place: Place): Promise<void> {
  for (const entry of zipEntries(source)) {
    const inner = { where: `${place.where}!${entry.name}`, name: entry.name, depth: place.depth + 1 };
    matchView(context, Buffer.from(entry.name), 'text', inner);
    if (!context.spend(0)) return;
    if (entry.encrypted) context.noteUnreadable(inner.where, 'encrypted');
    else if (entry.method === 0) await descend(context, entry.data, inner);
    else {
      const compression = METHODS[entry.method];
      if (compression === undefined)
        context.noteUnreadable(inner.where, `zip method ${entry.method}, which Assay does not open`);
      else
        await scanCompressed(
          context,
          { kind: compression, source: entry.data, certain: true },
          { ...inner, depth: place.depth },
        );
    }
  }
}

async function scanTar(context: ScanContext, source: ByteSource, place: Place): Promise<void> {
  for (const entry of tarEntries(source)) {
    const inner = { where: `${place.where}!${entry.name}`, name: entry.name, depth: place.depth + 1 };
    matchView(context, Buffer.from(`${entry.name}\n${entry.target}`), 'text', inner);
    if (!context.spend(entry.data.size)) return;
    if (entry.data.size > 0) await descend(context, entry.data, inner);
  }
}

async function scanPack(context: ScanContext, source: ByteSource, place: Place): Promise<void> {
  try {
    for (const object of packObjects(source)) {
      const inner = { where: `${place.where}!${object.type}@${object.offset}`, name: '', depth: place.depth + 1 };
      if (!context.spend(object.bytes.length)) return;
      if (object.type === 'delta')
        context.noteUnreadable(inner.where, 'a delta whose base is elsewhere; only what it adds was read');
      await descend(context, bufferSource(object.bytes), inner);
    }
  } catch (error) {
    if (context.signal?.aborted) throw error;
    if (place.guessed !== true)
      context.noteUnreadable(
        place.where,
        `a damaged git pack: ${error instanceof Error ? error.message : String(error)}`,
      );
  }
}

async function scanBundle(context: ScanContext, source: ByteSource, place: Place): Promise<void> {
  const start = source.read(0, WHOLE).indexOf('PACK\0\0\0');
  if (start < 0) context.noteUnreadable(place.where, 'a git bundle without a pack');
  else await scanPack(context, sliceSource(source, start), place);
}

async function scanPayloads(
  context: ScanContext,
  payloads: Iterable<Buffer>,
  place: Place,
  name: string,
): Promise<void> {
  for (const payload of payloads) {
    if (!context.spend(payload.length)) return;
    await descend(context, bufferSource(payload), { where: `${place.where}!${name}`, name, depth: place.depth + 1 });
  }
}
