import { runOwnTool } from '../run-own-tool.ts';

export interface PipSettings {
  /** As configured, with credentials. Null for pip's default. */
  indexUrl: string | null;
  extraIndexUrls: string[];
  /** File of certificate authorities. */
  certificate: string | null;
  /** Whether the configuration has `--no-index`, so that pip asks no index at all. */
  noIndex: boolean;
}

/**
 * Reads pip's settings from its files and `environment`. Variables take precedence over `[install]`, and `[install]`
 * over `[global]`.
 */
export async function readPipSettings(environment: NodeJS.ProcessEnv): Promise<PipSettings> {
  const listed =
    (await runOwnTool(['pip', 'config', 'list'], environment)) ??
    (await runOwnTool(['python3', '-m', 'pip', 'config', 'list'], environment)) ??
    '';
  const settings = parsePipSettings(listed);
  // Without a pip to list it, the environment still counts.
  const find = (name: string): string | undefined =>
    environment[`PIP_${name.toUpperCase().replaceAll('-', '_')}`] ||
    settings.get(`:env:.${name}`) ||
    settings.get(`install.${name}`) ||
    settings.get(`global.${name}`);
  return {
    indexUrl: find('index-url')?.trim() ?? null,
    extraIndexUrls:
      find('extra-index-url')
        ?.split(/\s+/)
        .filter((address) => address !== '') ?? [],
    certificate: find('cert') ?? null,
    noIndex: /^(?:1|true|yes|on|y|t)$/i.test(find('no-index') ?? ''),
  };
}

/** Parses the lines of `pip config list`: `section.name='value'`, with the value as a Python string. */
export function parsePipSettings(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, , value] = /^([\w:.-]+)=(['"])(.*)\2\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined)
      settings.set(
        name,
        value.replace(/\\(.)/g, (_, character: string) =>
          character === 'n' ? '\n' : character === 't' ? '\t' : character,
        ),
      );
  }
  return settings;
}
