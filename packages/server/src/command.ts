import type { OnProgress, ResultName, ResultOf } from '@assay/protocol';
import type { Terminal } from './reporters/terminal.ts';

/**
 * One kind of option. `flag` is true or false; `text` a string; `count` a whole number of at least 1; `seconds` a
 * positive number; `fraction` a number from 0 to 1; `duration` a time with its unit, in
 * milliseconds; `date` an ISO 8601 day or time; `url` an http or https URL; `list` may be repeated.
 */
export type OptionKind = 'flag' | 'text' | 'count' | 'seconds' | 'fraction' | 'duration' | 'date' | 'url' | 'list';

export interface OptionSpec {
  kind: OptionKind;
  /** Meaning of the option, for `--help` and docs/cli.md. */
  description: string;
  /** Name of the value in the help, such as `DIR`. Flags have none. */
  value?: string;
  /** One letter. */
  short?: string;
  default?: string | number;
  required?: true;
}

export interface ArgumentSpec {
  name: string;
  description: string;
  /** `false`: may be left out, and is `undefined` then. Nothing but such may follow it. */
  required?: false;
}

type ValueOf<Kind extends OptionKind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'count' | 'seconds' | 'fraction' | 'duration'
    ? number
    : Kind extends 'date'
      ? Date
      : Kind extends 'list'
        ? string[]
        : string;

type OptionValue<Spec extends OptionSpec> = Spec extends
  | { kind: 'flag' | 'list' }
  | { required: true }
  | { default: string | number }
  ? ValueOf<Spec['kind']>
  : ValueOf<Spec['kind']> | undefined;

/** The arguments and options that `run` gets, by name, already checked. */
export type Input<Arguments extends readonly ArgumentSpec[], Options extends Record<string, OptionSpec>> = {
  [Spec in Arguments[number] as Spec['name']]: Spec extends { required: false } ? string | undefined : string;
} & { [Name in keyof Options]: OptionValue<Options[Name]> };

export interface CommandContext {
  /** Fires at the first Ctrl-C, SIGTERM or SIGHUP. */
  signal: AbortSignal;
  /** Progress; shown on standard error in whichever way fits. */
  onEvent: OnProgress;
  /** The words after `--`. */
  rest: string[];
}

/** A document as it may be built: what nobody writes to may be read-only. */
type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

export interface CommandResult<Document extends object = object> {
  exitCode: 0 | 1 | 2 | 3 | 5;
  /** Printed by `--json`. */
  document: Document;
  /** Ctrl-C is how the command usually ends: the result is shown nevertheless. */
  endsByInterrupt?: true;
  /** Renders the answer for a person. Foreign text in it goes through `terminal.foreign`. */
  render: (terminal: Terminal) => string;
}

export interface CommandDefinition<
  Name extends ResultName,
  Arguments extends readonly ArgumentSpec[],
  Options extends Record<string, OptionSpec>,
> {
  /**
   * One word, or two: `receipt verify` is the member `verify` of the group `receipt`, which `GROUPS` of
   * commands/index.ts describes.
   */
  name: Name;
  /** One line of `assay --help`, or of its group's. */
  summary: string;
  description: string;
  example: string;
  arguments: Arguments;
  /** By long name, in the order of the help. `--json` and `--help` are everywhere and not listed. */
  options: Options;
  /**
   * Options that are known only when more is loaded, for `run` to read from its input by name. One that `options` has,
   * too, is shown in its place.
   */
  loadOptions?: () => Promise<Record<string, OptionSpec>>;
  /** Name of the words after `--`, if the command takes any. */
  rest?: string;
  run: (
    input: Input<Arguments, Options>,
    context: CommandContext,
  ) => Promise<CommandResult<DeepReadonly<ResultOf<Name>>>>;
}

/** The command with all of its options, for the parser and for docs. */
export async function withLoadedOptions(command: Command): Promise<Command> {
  return command.loadOptions
    ? { ...command, options: { ...command.options, ...(await command.loadOptions()) } }
    : command;
}

/** A command whose types of input are forgotten, as the parser sees it. */
export interface Command extends Omit<
  CommandDefinition<ResultName, readonly ArgumentSpec[], Record<string, OptionSpec>>,
  'name' | 'run'
> {
  name: string;
  run: (input: Record<string, unknown>, context: CommandContext) => Promise<CommandResult>;
}

/**
 * Types `run` by the declared arguments and options. The body must load what it needs by `await import`, so that
 * `--help` stays fast.
 */
export function defineCommand<
  const Name extends ResultName,
  const Arguments extends readonly ArgumentSpec[],
  const Options extends Record<string, OptionSpec>,
>(definition: CommandDefinition<Name, Arguments, Options>): Command {
  // The parser fills the input by the same declarations that typed `run`.
  return definition as unknown as Command;
}
