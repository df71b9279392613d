import type { SealName } from '@assay/protocol';

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
  language: 'python' | 'node';
  runner: 'pytest' | 'node:test' | 'vitest' | 'jest' | 'mocha';
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

/** `sh` that downloads a URL to a path with what every task's sandbox has: its own interpreter. */
export function download(scene: Scene, url: string, path: string): string {
  const python = `import sys,urllib.request as u; open(sys.argv[2],"wb").write(u.urlopen(sys.argv[1],timeout=5).read())`;
  const node =
    'fetch(process.argv[1],{signal:AbortSignal.timeout(5000)}).then(async(r)=>{if(!r.ok)throw r.status;require("fs").writeFileSync(process.argv[2],Buffer.from(await r.arrayBuffer()))}).catch((e)=>{console.error(String(e));process.exit(1)})';
  return scene.language === 'python'
    ? `python3 -c ${quote(python)} ${quote(url)} ${quote(path)}`
    : `node -e ${quote(node)} ${quote(url)} ${quote(path)}`;
}

/** `sh` that adds code to the end of the first file that the reference changes, where the tests will load it. */
export function injectIntoSource(scene: Scene, code: { python: string; node: string }): string | null {
  const file = scene.sourceFiles[0];
  if (!file) return null;
  return `cat >> ${quote(file)} <<'ASSAY_CHEAT_END'\n\n${code[scene.language]}\nASSAY_CHEAT_END\n`;
}
