import { Command as Parser, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ArgumentSpec, Command, OptionSpec } from './command.ts';

/** The parsed words after `assay`. `answered`: help, the version, or an error in the words. */
export type CommandLine =
  | { kind: 'command'; command: Command; input: Record<string, unknown>; rest: string[]; json: boolean }
  | { kind: 'answered'; exitCode: 0 | 2; output: string; error: string };

export interface CommandLineOptions {
  commands: readonly Command[];
  /** The purpose of each group of commands, by its name: the first word of its commands' names. */
  groups: Readonly<Record<string, string>>;
  version: string;
  /** Width that the help is wrapped to. */
  columns: number;
}

/** Two of them and a minute more are still a time that a timer can wait. */
const MAX_SECONDS = 1_000_000;

/**
 * Reads a command line. Never throws for what a user wrote, never prints. The only place that knows the parser library.
 */
export function parseCommandLine(words: string[], options: CommandLineOptions): CommandLine {
  const { own, rest } = splitRest(words);
  let output = '';
  let error = '';
  const chosen: CommandLine[] = [];
  const program = new Parser('assay')
    .description('Coding environments whose green score means something.')
    .version(options.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        output += text;
      },
      writeErr: (text) => {
        error += text;
      },
      getOutHelpWidth: () => options.columns,
      getErrHelpWidth: () => options.columns,
    })
    .addHelpText('after', '\nStart with: assay demo');
  const groups = new Map<string, Parser>();
  for (const command of options.commands) {
    const [first = '', second] = command.name.split(' ');
    const parent =
      second === undefined ? program : (groups.get(first) ?? addGroup(program, first, options.groups[first] ?? ''));
    if (second !== undefined) groups.set(first, parent);
    addCommand(parent, second ?? first, command, (found) => chosen.push({ ...found, rest }));
  }
  try {
    if (own.length === 0) return { kind: 'answered', exitCode: 2, output: '', error: program.helpInformation() };
    program.parse(askedForHelp(own, groups) ?? own, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return { kind: 'answered', exitCode: 0, output, error };
    return { kind: 'answered', exitCode: 2, output: '', error: describe(thrown, error, own, options.commands) };
  }
  const [line] = chosen;
  if (line === undefined) return { kind: 'answered', exitCode: 2, output: '', error: program.helpInformation() };
  if (line.kind === 'command' && rest.length > 0 && line.command.rest === undefined) {
    return { kind: 'answered', exitCode: 2, output: '', error: `error: ${line.command.name} takes nothing after --\n` };
  }
  return line;
}

/** The library's `help` takes one word; here `help receipt verify` is `receipt verify --help`. */
function askedForHelp(words: string[], groups: ReadonlyMap<string, Parser>): string[] | null {
  const [help, group = '', ...members] = words;
  return help === 'help' && groups.has(group) && members.length > 0 ? [group, ...members, '--help'] : null;
}

function splitRest(words: string[]): { own: string[]; rest: string[] } {
  const end = words.indexOf('--');
  return end === -1 ? { own: words, rest: [] } : { own: words.slice(0, end), rest: words.slice(end + 1) };
}

type Found = Omit<Extract<CommandLine, { kind: 'command' }>, 'rest'>;

/** The group's name alone is bad use, and shows the group's help. */
function addGroup(program: Parser, name: string, description: string): Parser {
  return program
    .command(name)
    .summary(description)
    .description(`${description}.`)
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false);
}

function addCommand(parent: Parser, word: string, command: Command, onFound: (found: Found) => void): void {
  const parser = parent
    .command(word)
    .summary(command.summary)
    .description(command.description.replaceAll('\n', ' '))
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', `\nExample:\n  ${command.example}`)
    .allowExcessArguments(false);
  if (command.rest !== undefined) parser.usage(usage(command));
  for (const spec of command.arguments) parser.argument(argumentText(spec), spec.description);
  for (const [name, spec] of Object.entries(command.options)) parser.addOption(toParserOption(name, spec));
  parser.option('--json', 'print exactly one JSON document to standard output');
  parser.action((...given: unknown[]) => {
    const values = parser.opts<Record<string, unknown>>();
    const input: Record<string, unknown> = {};
    command.arguments.forEach(({ name }, index) => {
      input[name] = given[index];
    });
    for (const [name, spec] of Object.entries(command.options))
      input[name] = values[camelCase(name)] ?? emptyValue(spec);
    onFound({ kind: 'command', command, input, json: values['json'] === true });
  });
}

function usage(command: Command): string {
  return [...command.arguments.map(argumentText), '[options]', `[-- ${command.rest}]`].join(' ');
}

function argumentText({ name, required }: ArgumentSpec): string {
  return required === false ? `[${name}]` : `<${name}>`;
}

function toParserOption(name: string, spec: OptionSpec): Option {
  const short = spec.short ? `-${spec.short}, ` : '';
  const flags = `${short}--${name}${spec.kind === 'flag' ? '' : ` <${spec.value ?? 'VALUE'}>`}`;
  const option = new Option(flags, spec.description);
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.required) option.makeOptionMandatory();
  if (spec.kind === 'list')
    return option.argParser((text, previous: string[] | undefined) => [
      ...(previous ?? []),
      String(parseValue('text', text)),
    ]);
  return spec.kind === 'flag' ? option : option.argParser((text) => parseValue(spec.kind, text));
}

function emptyValue(spec: OptionSpec): unknown {
  if (spec.kind === 'flag') return false;
  return spec.kind === 'list' ? [] : undefined;
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function parseValue(kind: OptionSpec['kind'], text: string): unknown {
  switch (kind) {
    case 'count':
      if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a whole number of at least 1.');
      return Number(text);
    case 'seconds':
      if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0 || Number(text) > MAX_SECONDS)
        throw new InvalidArgumentError(`Give a number of seconds above 0, at most ${MAX_SECONDS}.`);
      return Number(text);
    case 'fraction':
      if (!/^(?:0?\.\d+|[01](?:\.0*)?)$/.test(text)) throw new InvalidArgumentError('Give a number from 0 to 1.');
      return Number(text);
    case 'duration': {
      const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
      const sum = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
      if (sum === 0 || sum > MAX_SECONDS)
        throw new InvalidArgumentError(`Give a time such as 30m, 1h30m or 90s, at most ${MAX_SECONDS}s.`);
      return sum * 1000;
    }
    case 'date': {
      const date = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(text) ? new Date(text) : new Date(Number.NaN);
      if (Number.isNaN(date.getTime())) throw new InvalidArgumentError('Give a date such as 2024-01-31.');
      return date;
    }
    case 'url':
      if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
        throw new InvalidArgumentError('Give an http or https URL.');
      return text;
    default:
      if (text === '') throw new InvalidArgumentError('Give a value.');
      return text;
  }
}

/** The help of a group that was named alone; else one line, in our words where the library's help nobody. */
function describe(
  thrown: CommanderError,
  error: string,
  words: readonly string[],
  commands: readonly Command[],
): string {
  if (thrown.code === 'commander.help') return error;
  const line = (error.trim() || thrown.message).replace(/\s*\n\s*/g, ' ');
  if (thrown.code !== 'commander.unknownCommand') return `${line}\n`;
  const sentence = line.replace(/ \(Did you mean/, '. (Did you mean').replace(/'$/, "'.");
  return `${sentence} There are: ${namesBeside(words[0], commands).join(', ')}.\n`;
}

/** Candidates for a suggestion: the members of the named group, else every command and group. */
function namesBeside(group: string | undefined, commands: readonly Command[]): string[] {
  const names = commands.map((command) => command.name);
  const members = names.filter((name) => name.startsWith(`${group} `));
  return members.length > 0 ? members : [...new Set(names.map((name) => name.split(' ')[0] ?? name))];
}
