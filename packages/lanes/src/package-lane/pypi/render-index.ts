import type { VisibleFile } from './freeze-files.ts';

export const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';
const HTML_TYPE = 'application/vnd.pypi.simple.v1+html';

/** Picks the form of a project page that an Accept header prefers. Default HTML. */
export function preferredType(accept: string): string {
  let best = { type: 'text/html', quality: 0 };
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    if ([JSON_TYPE, HTML_TYPE, 'text/html'].includes(type) && quality > best.quality) best = { type, quality };
  }
  return best.type;
}

/** Returns the address of a file of `project` on the lane. */
export const filePath = (project: string, file: VisibleFile): string =>
  `/packages/${project}/${encodeURIComponent(file.filename)}`;

export function renderJson(project: string, files: VisibleFile[], origin: string): string {
  // Version 1.1 promises a size for each file, which an HTML upstream does not give.
  const complete = files.every((file) => file.size !== null && file.uploadedAt !== null);
  return JSON.stringify({
    meta: { 'api-version': complete ? '1.1' : '1.0' },
    name: project,
    versions: [...new Set(files.map((file) => file.version))],
    files: files.map((file) => {
      const metadata = file.metadata === null ? false : Object.keys(file.metadata).length === 0 ? true : file.metadata;
      return {
        filename: file.filename,
        url: origin + filePath(project, file),
        hashes: { [file.hash.algorithm]: file.hash.hex },
        yanked: file.yanked === null ? false : file.yanked || true,
        // Without the older name `dist-info-metadata`, which crashes pip 22.3 to 23.0 (PEP 714).
        'core-metadata': metadata,
        'requires-python': file.requiresPython ?? undefined,
        'upload-time': file.uploadedAt?.toISOString(),
        size: file.size ?? undefined,
      };
    }),
  });
}

export function renderHtml(project: string, files: VisibleFile[], origin: string): string {
  const lines = files.map((file) => {
    const attributes: Record<string, string | null> = {
      href: `${origin}${filePath(project, file)}#${file.hash.algorithm}=${file.hash.hex}`,
      'data-requires-python': file.requiresPython,
      'data-yanked': file.yanked,
      'data-core-metadata': metadataMark(file),
      'data-dist-info-metadata': metadataMark(file),
      'data-upload-time': file.uploadedAt?.toISOString() ?? null,
    };
    const text = Object.entries(attributes).flatMap(([name, value]) =>
      value === null ? [] : [`${name}="${escapeHtml(value)}"`],
    );
    return `<a ${text.join(' ')}>${escapeHtml(file.filename)}</a><br>`;
  });
  return [
    '<!DOCTYPE html>',
    `<html><head><meta name="pypi:repository-version" content="1.0"><title>${project}</title></head><body>`,
    ...lines,
    '</body></html>\n',
  ].join('\n');
}

function metadataMark(file: VisibleFile): string | null {
  if (file.metadata === null) return null;
  const [first] = Object.entries(file.metadata);
  return first ? first.join('=') : 'true';
}

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
