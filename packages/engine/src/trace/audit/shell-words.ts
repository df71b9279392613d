/** A simple command as its words stand, quotes taken off. */
export interface RawCommand {
  words: string[];
  /** `> file`, `>> file`, `2> file`. */
  writes: string[];
  /** `< file`. */
  reads: string[];
  /** Here-documents and here-strings. */
  input: string;
  /** Scripts inside `$(…)`, backquotes and `<(…)`, to be split on their own. */
  nested: string[];
  text: string;
}

const BLANK = /[ \t]/;
const SEPARATOR = /[;&|\n()]/;
const DOLLAR = '$';

/** Splits a shell script into its simple commands, near enough for a reader: expansions stay as they stand. */
export function splitShell(script: string): RawCommand[] {
  return new Splitter(script).run();
}

class Splitter {
  readonly #script: string;
  readonly #done: RawCommand[] = [];
  readonly #documents: { command: RawCommand; end: string; indented: boolean }[] = [];
  #at = 0;
  #start = 0;
  #word: string | null = null;
  #redirect: 'write' | 'read' | 'string' | 'document' | 'indented' | null = null;
  #command = emptyCommand();

  constructor(script: string) {
    this.#script = script;
  }

  run(): RawCommand[] {
    while (this.#at < this.#script.length) this.#step();
    this.#endCommand();
    return this.#done;
  }

  #step(): void {
    const character = this.#script[this.#at] ?? '';
    if (character === '\\') this.#escape();
    else if (character === "'") this.#single();
    else if (character === '"') this.#double();
    else if (character === '`') this.#backquotes();
    else if (character === DOLLAR && this.#script[this.#at + 1] === '(') this.#substitution(this.#at + 1);
    else if (character === DOLLAR && this.#script[this.#at + 1] === '{')
      this.#add(this.#script.slice(this.#at, this.#closing(this.#at + 1, '{', '}')));
    else if (character === '#' && this.#word === null) this.#skipComment();
    else if (character === '<' || character === '>') this.#angle(character);
    else if (BLANK.test(character)) this.#endWord(1);
    else if (character === '&' && (this.#script[this.#at + 1] === '>' || this.#script[this.#at - 1] === '>'))
      this.#at += 1;
    else if (SEPARATOR.test(character)) this.#separator(character);
    else this.#add(character);
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
    this.#at += text.length;
  }

  #escape(): void {
    const next = this.#script[this.#at + 1] ?? '';
    if (next !== '\n') this.#word = (this.#word ?? '') + next;
    this.#at += 2;
  }

  #single(): void {
    const end = this.#script.indexOf("'", this.#at + 1);
    const stop = end === -1 ? this.#script.length : end;
    this.#word = (this.#word ?? '') + this.#script.slice(this.#at + 1, stop);
    this.#at = stop + 1;
  }

  #double(): void {
    this.#word ??= '';
    this.#at += 1;
    while (this.#at < this.#script.length && this.#script[this.#at] !== '"') {
      const character = this.#script[this.#at] ?? '';
      if (character === '\\') this.#escape();
      else if (character === '`') this.#backquotes();
      else if (character === DOLLAR && this.#script[this.#at + 1] === '(') this.#substitution(this.#at + 1);
      else this.#add(character);
    }
    this.#at += 1;
  }

  #backquotes(): void {
    const end = this.#script.indexOf('`', this.#at + 1);
    const stop = end === -1 ? this.#script.length : end;
    this.#command.nested.push(this.#script.slice(this.#at + 1, stop));
    this.#word = `${this.#word ?? ''}$()`;
    this.#at = stop + 1;
  }

  #substitution(open: number): void {
    const stop = this.#closing(open, '(', ')');
    this.#command.nested.push(this.#script.slice(open + 1, stop - 1));
    this.#word = `${this.#word ?? ''}$()`;
    this.#at = stop;
  }

  #closing(open: number, opener: string, closer: string): number {
    let depth = 0;
    for (let at = open; at < this.#script.length; at += 1) {
      if (this.#script[at] === opener) depth += 1;
      if (this.#script[at] === closer) depth -= 1;
      if (depth === 0) return at + 1;
    }
    return this.#script.length;
  }

  #skipComment(): void {
    const end = this.#script.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#script.length : end;
  }

  #angle(character: string): void {
    // A number before it names a descriptor and is no word.
    if (this.#word !== null && /^\d$/.test(this.#word)) this.#word = null;
    this.#endWord(0);
    const rest = this.#script.slice(this.#at, this.#at + 3);
    if (rest.startsWith('<(') || rest.startsWith('>(')) return this.#substitution(this.#at + 1);
    const length = rest.startsWith('<<<') || rest.startsWith('<<-') ? 3 : /^(?:<<|>>|>\||>&|<&)/.test(rest) ? 2 : 1;
    this.#redirect = rest.startsWith('<<<')
      ? 'string'
      : rest.startsWith('<<-')
        ? 'indented'
        : rest.startsWith('<<')
          ? 'document'
          : character === '>'
            ? 'write'
            : 'read';
    this.#at += length;
  }

  #endWord(skip: number): void {
    this.#at += skip;
    const word = this.#word;
    if (word === null) return;
    this.#word = null;
    const redirect = this.#redirect;
    this.#redirect = null;
    if (redirect === null) this.#command.words.push(word);
    else if (redirect === 'write')
      this.#command.writes.push(...(/^(?:\d|-|\/dev\/(?:null|stdout|stderr|tty))$/.test(word) ? [] : [word]));
    else if (redirect === 'read') this.#command.reads.push(...(/^(?:\d|-|\/dev\/null)$/.test(word) ? [] : [word]));
    else if (redirect === 'string') this.#command.input += `${word}\n`;
    else this.#documents.push({ command: this.#command, end: word, indented: redirect === 'indented' });
  }

  #separator(character: string): void {
    this.#endCommand();
    this.#at += 1;
    if (character === '\n') this.#readDocuments();
    this.#start = this.#at;
  }

  #endCommand(): void {
    this.#endWord(0);
    const command = this.#command;
    command.text = this.#script.slice(this.#start, this.#at).trim();
    if (command.words.length > 0 || command.writes.length > 0 || command.nested.length > 0) this.#done.push(command);
    this.#command = emptyCommand();
  }

  #readDocuments(): void {
    for (const { command, end, indented } of this.#documents.splice(0)) {
      while (this.#at < this.#script.length) {
        const found = this.#script.indexOf('\n', this.#at);
        const stop = found === -1 ? this.#script.length : found;
        const line = this.#script.slice(this.#at, stop);
        this.#at = stop + 1;
        if ((indented ? line.trimStart() : line) === end) break;
        command.input += `${line}\n`;
      }
    }
  }
}

const emptyCommand = (): RawCommand => ({ words: [], writes: [], reads: [], input: '', nested: [], text: '' });
