import { LineCounter, isMap, isNode, isPair, parseDocument, type Document } from 'yaml';
import { parse as parseToml, TomlError } from 'smol-toml';
import { AssayError } from '@assay/protocol';

export type Path = readonly PropertyKey[];

/** What a file of settings says, and where. */
export interface Parsed {
  value: unknown;
  /** Makes the error for what stands at a path, by its line where the format tells it. */
  wrong: (path: Path, detail: string) => AssayError;
}

/** An alias may stand for so many nodes, and no more: a few lines could stand for gigabytes. */
const MAX_ALIASES = 100;

/**
 * Parses YAML, JSON or TOML, by the end of the file's name; everything that is not called `.toml` is read as YAML, of
 * which JSON is a part. Throws `MINE_FILE_INVALID`.
 */
export function parsePositions(text: string, file: string): Parsed {
  return file.toLowerCase().endsWith('.toml') ? ofToml(text, file) : ofYaml(text, file);
}

const invalid = (place: string, detail: string): AssayError => new AssayError('MINE_FILE_INVALID', { place, detail });

function ofToml(text: string, file: string): Parsed {
  const wrong: Parsed['wrong'] = (path, detail) => invalid(file, `${named(path)}${detail}`);
  try {
    return { value: parseToml(text), wrong };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw invalid(`${file}:${error.line}`, firstLine(error.message));
  }
}

function ofYaml(text: string, file: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, logLevel: 'silent', stringKeys: true });
  const [error] = [...document.errors, ...document.warnings];
  if (error) throw invalid(`${file}:${lines.linePos(error.pos[0]).line}`, firstLine(error.message));
  const wrong: Parsed['wrong'] = (path, detail) => {
    const at = positionOf(document, path);
    return invalid(at === undefined ? file : `${file}:${lines.linePos(at).line}`, `${named(path)}${detail}`);
  };
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, wrong };
  } catch (thrown) {
    throw invalid(file, thrown instanceof Error ? firstLine(thrown.message) : 'it cannot be read');
  }
}

const named = (path: Path): string => (path.length === 0 ? '' : `${path.map(String).join('.')}: `);
const firstLine = (text: string): string => (text.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');

/** Where the key or the item at a path begins, or what holds it. */
function positionOf(document: Document, path: Path): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const holder = length === 0 ? undefined : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    const pair = isMap(holder) ? holder.items.find((each) => isPair(each) && String(each.key) === String(key)) : null;
    const node = (pair && isNode(pair.key) ? pair.key : null) ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}
