import { AssayError } from '@assay/protocol';
import semver from 'semver';
import { claudeCode } from './claude-code.ts';
import type { CliAgent, CliRecipe } from './cli-agent.ts';
import { codex } from './codex.ts';
import { geminiCli } from './gemini-cli.ts';
import { makeCliAgent } from './make-cli-agent.ts';
import { opencode } from './opencode.ts';

export const CLI_RECIPES: readonly CliRecipe[] = [claudeCode, codex, geminiCli, opencode];

/**
 * Returns the coding agent of a name as after `--agent`: `codex`, or `codex@0.169.0` for a version other than the one
 * it was tried with. Null when the name is not theirs. Throws `BAD_OPTION` when the version is not exact.
 */
export function findCliAgent(name: string): CliAgent | null {
  const [, program, wanted] = /^([^@]+)(?:@(.*))?$/s.exec(name) ?? [];
  const recipe = CLI_RECIPES.find((each) => each.name === program);
  if (recipe === undefined) return null;
  if (wanted === undefined) return makeCliAgent(recipe);
  if (semver.valid(wanted) !== wanted)
    throw new AssayError('BAD_OPTION', {
      option: `--agent ${recipe.name}@${wanted}`,
      detail: `give an exact version, such as ${recipe.name}@${recipe.version}`,
    });
  return makeCliAgent(recipe, wanted);
}
