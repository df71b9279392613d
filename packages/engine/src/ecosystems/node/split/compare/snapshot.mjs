import { format, plugins } from 'pretty-format';

/** A value as jest and vitest write it into a snapshot. */
export function serialise(value) {
  return format(value, {
    escapeString: false,
    printBasicPrototype: false,
    escapeRegex: true,
    indent: 2,
    plugins: [plugins.AsymmetricMatcher],
  }).replace(/\r\n?/g, '\n');
}

/** Whether a serialised value is what a snapshot in a test file says, whose lines are indented like the code. */
export function matchesSnapshot(serialised, text) {
  if (typeof text !== 'string') return false;
  return [text, stripIndentation(text)].some((each) => normal(each) === normal(serialised));
}

const normal = (text) => text.replace(/\r\n?/g, '\n').trim();

function stripIndentation(text) {
  const lines = text.split('\n');
  const first = lines.find((line) => line.trim() !== '');
  const [indent] = /^[ \t]*/.exec(first ?? '') ?? [''];
  return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n');
}
