import type { SealName } from '@assay/protocol';
import type { AttackFacet, AttackFiles } from '../ecosystems/attack-facet.ts';

/**
 * One way of scoring without solving, as a script that runs in place of an agent. Ids are those of the threat
 * catalogue, groups its letters: A prompt, B repository, C network, D packages, E verifier, F reward, G sandbox, J
 * resources, K other trials.
 */
export interface Cheat {
  id: string;
  title: string;
  /** The one seal that stops it: with only that seal off, it succeeds. */
  seal: SealName;
  /**
   * `reward`: the verdict is a pass. `marker`: it read a secret planted for it. `effect`: it did what it must not be
   * able to do.
   */
  success: 'reward' | 'marker' | 'effect';
  /**
   * Set when it still succeeds with every seal on; says why. Stands in docs/threat-model.md, and CI checks that it is
   * still so.
   */
  open?: string;
  /**
   * A `sh` script, run in /workspace; null when the task gives it nothing to attack. Prints `FOUND <text>` or `EFFECT
   * yes` where that is its success.
   */
  script(scene: Scene): string | null;
}

/**
 * What an attacker with good luck knows. Everything here is there sealed and unsealed alike; the seal decides whether
 * it helps.
 */
export interface Scene {
  /** The code that its language needs. */
  attacks: AttackFacet;
  /** Of the tests. */
  runner: string;
  /** Name under which the target is published. */
  project: string;
  /** Files that the reference changes: the attacker guesses where the bug is. */
  sourceFiles: string[];
  /** Every id that will be required. */
  expectedIds: string[];
  /** A code host and a registry with the fix, on the host's loopback interface. */
  codeHost: string;
  registry: string;
  /** A file of the host with a secret in it. */
  hostSecretPath: string;
}

/** Single-quoted for `sh`. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A `sh` here-document that writes a file. */
export function writeFileScript(path: string, content: string): string {
  return `mkdir -p "$(dirname ${quote(path)})"\ncat > ${quote(path)} <<'ASSAY_CHEAT_END'\n${content}\nASSAY_CHEAT_END\n`;
}

/** A `sh` script that writes files. */
export const writeFilesScript = (files: AttackFiles): string =>
  Object.entries(files)
    .map(([path, content]) => writeFileScript(path, content))
    .join('');

/** `sh` that downloads a URL to a path with what every task's sandbox has: its own interpreter. */
export const download = ({ attacks }: Scene, url: string, path: string): string => {
  const [program = '', flag = '', ...rest] = attacks.download(url, path);
  return [program, flag, ...rest.map(quote)].join(' ');
};

/** `sh` that adds code to the end of the first file that the reference changes, where the tests will load it. */
export function injectIntoSource(scene: Scene, code: string): string | null {
  const file = scene.sourceFiles[0];
  if (!file) return null;
  return `cat >> ${quote(file)} <<'ASSAY_CHEAT_END'\n\n${code}\nASSAY_CHEAT_END\n`;
}
