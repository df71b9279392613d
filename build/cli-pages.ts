import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { withLoadedOptions, type Command, type OptionSpec } from '../packages/server/src/command.ts';
import { COMMANDS } from '../packages/server/src/commands/index.ts';
import { describeSchema } from './describe-schema.ts';
import { publishedSchemas } from './published-schemas.ts';

const PAGES = join(import.meta.dirname, '../docs/cli');
/** A block made from the command, between its two marks. The text after it is written by hand. */
const BLOCK = /<!-- command: ([a-z -]+) -->\n[\s\S]*?<!-- end -->/g;

/**
 * The pages of docs/cli by their path, with the part about each command as the command declares it. Throws when a
 * command stands on no page or on two, or a page names one that there is not.
 */
export async function cliPages(): Promise<Map<string, string>> {
  const { $defs } = publishedSchemas();
  const sections = new Map<string, string>();
  for (const command of COMMANDS) sections.set(command.name, section(await withLoadedOptions(command), $defs));
  const seen = new Set<string>();
  const pages = new Map<string, string>();
  for (const name of readdirSync(PAGES).sort()) {
    const path = join(PAGES, name);
    const page = readFileSync(path, 'utf8').replace(BLOCK, (_, command: string) => {
      const made = sections.get(command);
      if (made === undefined) throw new Error(`${name}: there is no command ${command}`);
      if (seen.has(command)) throw new Error(`${name}: ${command} stands on two pages`);
      seen.add(command);
      return `<!-- command: ${command} -->\n${made}\n<!-- end -->`;
    });
    pages.set(path, page);
  }
  const missing = [...sections.keys()].filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`no page of docs/cli has a block <!-- command: ${missing[0]} -->`);
  return pages;
}

function section(command: Command, schemas: Record<string, object>): string {
  const words = command.arguments.map(({ name, required }) => (required === false ? `[${name}]` : `<${name}>`));
  const rows = Object.entries(command.options).map(([name, spec]) => `| \`${flag(name, spec)}\` | ${meaning(spec)} |`);
  const usage = [command.name, ...words];
  if (rows.length > 0) usage.push('[options]');
  if (command.rest !== undefined) usage.push(`[-- ${command.rest}]`);
  return [
    `## ${command.name}`,
    `\`assay ${usage.join(' ')}\``,
    command.description,
    ...command.arguments.map(
      ({ name, required, description }) =>
        `\`${required === false ? `[${name}]` : `<${name}>`}\`: ${cell(description)}.`,
    ),
    ...(rows.length > 0 ? [['| option | meaning |', '|---|---|', ...rows].join('\n')] : []),
    `\`\`\`\n${command.example}\n\`\`\``,
    `\`--json\` prints \`${describeSchema(schemas[command.name])}\`.`,
  ].join('\n\n');
}

const flag = (name: string, { short, kind, value }: OptionSpec): string =>
  cell(`${short === undefined ? '' : `-${short}, `}--${name}${kind === 'flag' ? '' : ` ${value ?? 'VALUE'}`}`);

const meaning = ({ description, default: initial }: OptionSpec): string =>
  cell(initial === undefined ? description : `${description} (default: ${initial})`);

const cell = (text: string): string => text.replaceAll('|', '\\|');
