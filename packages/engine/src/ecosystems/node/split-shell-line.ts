/**
 * Splits a shell line, as npm scripts write them, into simple commands and their words. Removes quotes; leaves
 * variables, redirections and substitutions as they are, since nothing is run.
 */
export function splitShellLine(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | null = null;
  let quote: string | null = null;
  const endWord = (): void => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (character === '\\' && quote === '"' && index + 1 < line.length)
        word = (word ?? '') + line.charAt((index += 1));
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (character === '\\' && index + 1 < line.length) {
      word = (word ?? '') + line.charAt((index += 1));
    } else if (/\s/.test(character)) {
      endWord();
      if (character === '\n') commands.push([]);
    } else if (/[;&|]/.test(character)) {
      endWord();
      commands.push([]);
    } else {
      word = (word ?? '') + character;
    }
  }
  endWord();
  return commands.filter((command) => command.length > 0);
}
