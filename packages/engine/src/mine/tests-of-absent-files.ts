import { posix } from 'node:path';

const START_OF_TEST = /^[ \t]*(?:async )?def test_|\b(?:it|test)(?:\.\w+)*\(/gm;

/**
 * Of tests that never pass, the ids of those whose own lines name a file that is not there. `read` gives a test file.
 * Other tests that fail are left alone: why they fail is not known.
 */
export function testsOfAbsentFiles(
  ids: readonly string[],
  absent: readonly string[],
  read: (path: string) => Buffer | null,
): string[] {
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

/** Up to the next test; in Python from what stands right above, such as its parameters. */
function bodyOf(text: string, title: string): string {
  if (title === '') return '';
  const definition = text.indexOf(`def ${title}(`);
  const at =
    definition >= 0
      ? definition
      : Math.max(...["'", '"', '`'].map((quote) => text.indexOf(`${quote}${title}${quote}`)));
  const end = at < 0 ? -1 : text.indexOf('\n', at);
  if (end < 0) return at < 0 ? '' : text.slice(at);
  START_OF_TEST.lastIndex = end + 1;
  const next = START_OF_TEST.exec(text)?.index ?? text.length;
  return text.slice(definition >= 0 ? Math.max(text.lastIndexOf('\n\n', at), 0) : at, next);
}
