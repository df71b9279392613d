/** Names that models give a fence, by language. */
const FENCE_NAMES: Record<string, readonly string[]> = {
  javascript: ['javascript', 'js', 'mjs', 'cjs', 'jsx', 'node', 'typescript', 'ts', 'tsx'],
  typescript: ['typescript', 'ts', 'tsx', 'javascript', 'js'],
  python: ['python', 'py', 'python3'],
  go: ['go', 'golang'],
  rust: ['rust', 'rs'],
};

interface Block { name: string; text: string }

/**
 * The code of a submission: all of it, or what stands between fences (``` or ~~~) when there are any. Of several blocks those count whose
 * fence names the language, else those without a name, else all; of these the last that mentions the function (a model that corrects itself
 * does so below) if it stands alone, together with the others when it does not define the function itself. An open fence ends with the text.
 */
export function extractCode(text: string, language: string, functionName: string): string {
  const blocks = fencedBlocks(text);
  if (blocks.length === 0) return text;
  const names = FENCE_NAMES[language] ?? [];
  const chosen = [blocks.filter((block) => names.includes(block.name)), blocks.filter((block) => block.name === ''), blocks].find((list) => list.length > 0) ?? blocks;
  const last = functionName.split('.').at(-1) ?? functionName;
  const defining = chosen.filter((block) => definitionOf(last).test(block.text));
  return defining.at(-1)?.text ?? chosen.map((block) => block.text).join('\n');
}

/** The name followed by what follows a name that is being defined, or preceded by a word that defines. */
function definitionOf(name: string): RegExp {
  const literal = name.replace(/[$]/g, '\\$');
  return new RegExp(`(?:\\b(?:function\\*?|const|let|var|def|func|fn|class|async|static)\\s+|exports\\.)${literal}(?![\\w$])|(?<![\\w$.])${literal}\\s*(?:=[^=]|:|\\([^()]{0,1000}\\)\\s*(?::[^{]{0,200})?\\{)`);
}

function fencedBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; block: Block; lines: string[] } | null = null;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]{0,30})[^`]{0,200}$/.exec(line.replace(/\r$/, ''));
    const [, fence = '', name = ''] = mark ?? [];
    if (open === null) {
      if (mark) open = { fence, block: { name: name.toLowerCase(), text: '' }, lines: [] };
    } else if (mark && name === '' && fence[0] === open.fence[0] && fence.length >= open.fence.length) {
      blocks.push({ ...open.block, text: open.lines.join('\n') });
      open = null;
    } else {
      open.lines.push(line);
    }
  }
  if (open) blocks.push({ ...open.block, text: open.lines.join('\n') });
  return blocks;
}
