import type { SealName } from '@assay/protocol';
import type { AttackFacet, AttackFiles } from '../ecosystems/attack-facet.ts';

/**
 * One way of scoring without solving, as a script that runs in place of an agent. Ids come from the threat catalogue,
 * whose groups are letters: A prompt, B repository, C network, D packages, E verifier, F reward, G sandbox, J
 * resources, K other trials.
 */
export interface Cheat {
  id: string;
  title: string;
  /** The one seal that stops it; with only that seal off, it succeeds. */
  seal: SealName;
  /**
   * `reward`: the verdict is a pass. `marker`: it read a secret planted for it. `effect`: it did something that must be
   * impossible.
   */
  success: 'reward' | 'marker' | 'effect';
  /**
   * Why it still succeeds with every seal on; unset when it does not. docs/threat-model.md lists these, and CI checks
   * that the list is right.
   */
  open?: string;
  /**
   * Returns a `sh` script to run in /workspace; null when the task offers nothing to attack. Prints `FOUND <text>` or
   * `EFFECT yes` if that is its success.
   */
  script(scene: Scene): string | null;
}

/** Facts that a lucky attacker knows. All of them hold with the seal on or off; the seal decides whether they help. */
export interface Scene {
  /** Code for attacks in the task's language. */
  attacks: AttackFacet;
  /** Runner of the tests. */
  runner: string;
  /** Name under which the target is published. */
  project: string;
  /** Files that the reference changes: the attacker guesses where the bug is. */
  sourceFiles: string[];
  /** Every required test id. */
  expectedIds: string[];
  /** A code host and a registry that have the fix, on the host's loopback interface. */
  codeHost: string;
  registry: string;
  /** A file on the host with a secret in it. */
  hostSecretPath: string;
}

/** Quotes a text for `sh`. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes a file by a `sh` here-document. */
export function writeFileScript(path: string, content: string): string {
  const end = 'ASSAY_CHEAT_END';
  return `mkdir -p "$(dirname ${quote(path)})"\ncat > ${quote(path)} <<'${end}'\n${content}\n${end}\n`;
}

/** Returns a `sh` script that writes files. */
export const writeFilesScript = (files: AttackFiles): string =>
  Object.entries(files)
    .map(([path, content]) => writeFileScript(path, content))
    .join('');

/** Returns `sh` code that downloads a URL to a path with what every task's sandbox has: its own interpreter. */
export const download = ({ attacks }: Scene, url: string, path: string): string => {
  const [program = '', flag = '', ...rest] = attacks.download(url, path);
  return [program, flag, ...rest.map(quote)].join(' ');
};

/**
 * Returns `sh` code that adds code to the end of the first file that the reference changes, where the tests will load
 * it.
 */
export function injectIntoSource(scene: Scene, code: string): string | null {
  const file = scene.sourceFiles[0];
  if (!file) return null;
  return `cat >> ${quote(file)} <<'ASSAY_CHEAT_END'\n\n${code}\nASSAY_CHEAT_END\n`;
}
