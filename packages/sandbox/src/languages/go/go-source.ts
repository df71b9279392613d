const NAME = String.raw`[\p{L}_][\p{L}\p{Nd}_]*`;

/**
 * The submission as the file of a package `submission`, whatever package it says it is, followed by one function that
 * gives out what is to be called. Lines stay where they are. A `func main` is then a function like any other.
 */
export function goSource(source: string, functionName: string): string {
  return `${asPackage(source)}\nfunc AssayTarget() interface{} { ${targetOf(source, functionName)} }\n`;
}

function asPackage(source: string): string {
  const start = endOfComments(source);
  const clause = new RegExp(`^package\\s+${NAME}`, 'u').exec(source.slice(start, start + 1000))?.[0];
  if (clause === undefined) return `package submission; ${source}`;
  // As many lines as before, so that the compiler's messages name the right ones.
  const lineEnds = '\n'.repeat(clause.split('\n').length - 1);
  return `${source.slice(0, start)}package submission${lineEnds}${source.slice(start + clause.length)}`;
}

/** Returns the position of the first word. A regular expression would scan hostile comments again and again. */
function endOfComments(source: string): number {
  let at = 0;
  for (;;) {
    while (/\s|\ufeff/.test(source[at] ?? '')) at += 1;
    const opening = source.slice(at, at + 2);
    if (opening !== '//' && opening !== '/*') return at;
    const end = source.indexOf(opening === '//' ? '\n' : '*/', at + 2);
    if (end === -1) return source.length;
    at = end + (opening === '//' ? 1 : 2);
  }
}

/**
 * A method is called on a new value of its type; so is a function that stands as a method where a plain one was asked
 * for.
 */
function targetOf(source: string, functionName: string): string {
  const [first = '', ...rest] = functionName.split('.');
  if (rest.length > 0) return `receiver := new(${first}); return receiver.${rest.join('.')}`;
  const named = [first, capital(first)].find((name) => defines(source, name));
  if (named !== undefined) return `return ${named}`;
  const receiver = `\\([ \\t]*(?:${NAME}[ \\t]+)?\\*?[ \\t]*(${NAME})[ \\t]*\\)`;
  const either = `(${literal(first)}|${literal(capital(first))})`;
  const method = new RegExp(`\\bfunc[ \\t]*${receiver}[ \\t]*${either}[ \\t]*\\(`, 'u').exec(source);
  return method ? `receiver := new(${method[1] ?? ''}); return receiver.${method[2] ?? ''}` : `return ${first}`;
}

function defines(source: string, name: string): boolean {
  return new RegExp(`\\b(?:func|var)[ \\t]+${literal(name)}(?![\\p{L}\\p{Nd}_])`, 'u').test(source);
}

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
const literal = (name: string): string => name.replace(/\$/g, '\\$');
