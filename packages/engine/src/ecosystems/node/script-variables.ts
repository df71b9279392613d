import type { TestCommand } from '@assay/protocol';

/** Variables by name, as scripts set them: `TZ=Pacific/Auckland jest`. */
export type Variables = Readonly<Record<string, string>>;

/** Where programs lie, what the interpreter loads, and what other tools that are left out want. */
const NOT_TAKEN =
  /^(?:PATH|HOME|SHELL|TMPDIR|IFS|ENV|BASH_ENV|LD_.*|DYLD_.*|ASSAY.*|CI|FORCE_COLOR|NO_COLOR|NODE_(?:OPTIONS|V8_COVERAGE|TEST_CONTEXT|EXTRA_CA_CERTS|REPL_.*)|MOCHA_OPTIONS|VITEST.*|JEST_.*|NYC_.*|npm_.*)$/;
const PREFIX = '--env=';

/** Words of a test command that set variables. */
export function variableWords(variables: Variables): string[] {
  return Object.entries(variables)
    .filter(([name, value]) => !NOT_TAKEN.test(name) && !/[$`\0]/.test(value))
    .map(([name, value]) => `${PREFIX}${name}=${value}`);
}

/** The command with each of the sets of variables in place of its own; those that it has already, and doubles, are left out. */
export function commandsOfVariables(command: TestCommand, sets: readonly Variables[]): TestCommand[] {
  const packages = command.args.findIndex((word) => word.startsWith('--in='));
  const end = packages === -1 ? command.args.length : packages;
  const isOwn = (word: string, at: number): boolean => at < end && word.startsWith(PREFIX);
  const rest = command.args.filter((word, at) => !isOwn(word, at));
  const seen = new Set([JSON.stringify(command.args.filter(isOwn))]);
  const found: TestCommand[] = [];
  for (const words of sets.map(variableWords)) {
    if (seen.has(JSON.stringify(words))) continue;
    seen.add(JSON.stringify(words));
    found.push({ ...command, args: [...words, ...rest] });
  }
  return found;
}
