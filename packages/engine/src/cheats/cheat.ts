import type { SealName } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { AttackFacet, AttackFiles } from '../ecosystems/attack-facet.ts';
import { quote } from '../ecosystems/quote-shell.ts';

export { quote };

/**
 * One way of scoring without solving, as a script that runs in place of an agent. Ids come from the threat catalogue,
 * whose groups are letters: A prompt, B repository, C network, D packages, E verifier, F reward, G sandbox, J
 * resources, K other trials. A second way of the same id has a word behind it: `J3-files`.
 */
export interface Cheat {
  id: string;
  title: string;
  /** The seal that stops it first; with only that seal off, and those of `alsoOff`, it succeeds. */
  seal: SealName;
  /** Seals that would stop it too, and are off with its own in the control. */
  alsoOff?: readonly SealName[];
  /**
   * `reward`: the verdict is a pass. `marker`: it read a secret planted for it. `effect`: it did something that must be
   * impossible.
   */
  success: 'reward' | 'marker' | 'effect';
  /** Whether it had its effect, where its script cannot tell by printing `EFFECT yes`. */
  achieved?(end: CheatEnd): boolean;
  /**
   * Why it still succeeds, with every seal on, against tests that are compared in the submission's process; unset when
   * it does not. docs/threat-model.md lists these.
   */
  openInProcess?: string;
  /**
   * Returns a `sh` script to run in /workspace; null when the task offers nothing to attack. Prints `FOUND <text>` or
   * `EFFECT yes` if that is its success.
   */
  script(scene: Scene): string | null;
}

/** What a trial left behind, as far as it shows an effect. */
export interface CheatEnd {
  /** Output of the agent, as a person would see it: made harmless unless the seal `terminal` is off. */
  log: string;
  change: ChangeSet;
  /** The secret that was planted. */
  marker: string;
}

/** The seals that are off in the positive control of a cheat. */
export const controlSeals = ({ seal, alsoOff = [] }: Pick<Cheat, 'seal' | 'alsoOff'>): SealName[] => [seal, ...alsoOff];

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
  /** A port of the host's loopback interface where datagrams are answered with a secret. */
  datagramPort: number;
  /** A file on the host with a secret in it. */
  hostSecretPath: string;
}

/** Where graders that share a box with what they grade look for a reward. */
export const REWARD_FILE = '/logs/verifier/reward.json';

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
