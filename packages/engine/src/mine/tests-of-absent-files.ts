import { posix } from 'node:path';

const START_OF_TEST = /^[ \t]*(?:async )?def test_|\b(?:it|test)(?:\.\w+)*\(/gm;

/**
 * Of tests that never pass, the ids of those whose own lines name a file that is not there. `read` gives a test file. Other tests that fail are
 * left alone: why they fail is not known.
 */
export function testsOfAbsentFiles(ids: readonly string[], absent: readonly string[], read: (path: string) => Buffer | null): string[] {
  const names = absent.map((path) => posix.basename(path));
  if (names.length === 0) return [];
  const texts = new Map<string, string>();
  return ids.filter((id) => {
    const separator = id.includes('::') ? '::' : ' > ';
    const path = id.split(separator)[0] ?? '';
    if (!texts.has(path)) texts.set(path, read(path)?.toString('utf8') ?? '');
    const body = bodyOf(texts.get(path) ?? '', (id.split(separator).at(-1) ?? '').replace(/\[.*\]$/s, ''));
    return names.some((name) => body.includes(name));
  });
}

/** From what stands right above the test, such as its parameters, to the next one. */
function bodyOf(text: string, title: string): string {
  const at = title === '' ? -1 : Math.max(text.indexOf(`def ${title}(`), ...["'", '"', '`'].map((quote) => text.indexOf(`${quote}${title}${quote}`)));
  if (at < 0) return '';
  const start = text.lastIndexOf('\n\n', at);
  START_OF_TEST.lastIndex = text.indexOf('\n', at) + 1;
  const next = START_OF_TEST.lastIndex === 0 ? null : START_OF_TEST.exec(text);
  return text.slice(Math.max(start, 0), next?.index ?? text.length);
}
