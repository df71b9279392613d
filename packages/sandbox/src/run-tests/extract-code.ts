/** Names that models give a fence, by language. */
const FENCE_NAMES: Record<string, readonly string[]> = {
  javascript: ['javascript', 'js', 'mjs', 'cjs', 'jsx', 'node', 'typescript', 'ts', 'tsx'],
  typescript: ['typescript', 'ts', 'tsx', 'javascript', 'js'],
  python: ['python', 'py', 'python3'],
  go: ['go', 'golang'],
  rust: ['rust', 'rs'],
};

/** `first` and `end` are lines of the whole text. */
interface Block {
  name: string;
  first: number;
  end: number;
}

/**
 * The code of a submission: all of it, or what stands between fences (``` or ~~~) when there are any. Of several blocks
 * those count whose fence names the language, else those without a name, else all; of these the last that defines the
 * function (a model that corrects itself does so below), or all together when none does. An open fence ends with the
 * text. Lines keep their numbers: what does not count is blank.
 */
export function extractCode(text: string, language: string, functionName: string): string {
  const lines = text.split('\n');
  const blocks = fencedBlocks(lines);
  if (blocks.length === 0) return text;
  const names = FENCE_NAMES[language] ?? [];
  const chosen =
    [blocks.filter((block) => names.includes(block.name)), blocks.filter((block) => block.name === ''), blocks].find(
      (list) => list.length > 0,
    ) ?? blocks;
  const definition = definitionOf(functionName.split('.').at(-1) ?? functionName);
  const defining = chosen.findLast(({ first, end }) => definition.test(lines.slice(first, end).join('\n')));
  if (!defining && isCodeAround(lines, blocks, definition)) return text;
  const kept = defining ? [defining] : chosen;
  const inside = within(kept);
  return lines
    .slice(0, kept.at(-1)?.end ?? 0)
    .map((line, index) => (inside.has(index) ? line : ''))
    .join('\n');
}

/** Fences in a text that is code itself, such as those in a template of it. */
function isCodeAround(lines: readonly string[], blocks: readonly Block[], definition: RegExp): boolean {
  const inside = within(blocks);
  return definition.test(lines.filter((_, index) => !inside.has(index)).join('\n'));
}

/** The lines of blocks. */
function within(blocks: readonly Block[]): Set<number> {
  const lines = new Set<number>();
  for (const { first, end } of blocks) for (let line = first; line < end; line += 1) lines.add(line);
  return lines;
}

/** The name followed by what follows a name that is being defined, or preceded by a word that defines. */
function definitionOf(name: string): RegExp {
  const literal = name.replace(/[$]/g, '\\$');
  const words = '(?:\\b(?:function\\*?|const|let|var|def|func|fn|class|async|static)\\s+|exports\\.)';
  const rest = '\\s*(?:=[^=]|:|\\([^()]{0,1000}\\)\\s*(?::[^{]{0,200})?\\{)';
  return new RegExp(`${words}${literal}(?![\\w$])|(?<![\\w$.])${literal}${rest}`);
}

function fencedBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; name: string; first: number } | null = null;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})[ \t]{0,20}([\w+#.-]{0,30})[^`]{0,200}$/.exec(line.replace(/\r$/, ''));
    const [, fence = '', name = ''] = mark ?? [];
    if (open === null) {
      if (mark) open = { fence, name: name.toLowerCase(), first: index + 1 };
    } else if (mark && name === '' && fence[0] === open.fence[0] && fence.length >= open.fence.length) {
      blocks.push({ name: open.name, first: open.first, end: index });
      open = null;
    }
  }
  if (open) blocks.push({ name: open.name, first: open.first, end: lines.length });
  return blocks;
}
