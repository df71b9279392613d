import type { RunTestsOptions, TestCase } from '@assay/sandbox';

/** The targets of an attack, made anew for each. */
export interface AttackWorld {
  /** The value that the case expects, unknown inside. Starts with `EXPECTED_PREFIX`. */
  expected: string;
  /** Part of the input of the second case only. Starts with `LATER_PREFIX`. */
  later: string;
  /** A file of the host, and what it holds. */
  secretFile: string;
  secret: string;
  /** A variable of the host's environment with the same secret. */
  variable: string;
  /** A file of the host that is not there. */
  targetFile: string;
  /** A server of the host, on 127.0.0.1, that nobody should call. */
  port: number;
}

export const EXPECTED_PREFIX = 'EXPECTED-';
export const LATER_PREFIX = 'LATER-';

/** A submission that wants more than to compute. */
export interface SubmissionAttack {
  /** A sentence, unique in the suite: known failures are listed by it. */
  name: string;
  /** Entries of the published lists of attacks that it stands for. */
  covers: readonly string[];
  /** Defines `attack`, which is called without arguments, unless `cases` says otherwise. */
  code: string | ((world: AttackWorld) => string);
  functionName?: string;
  /** Default: one that expects the secret expectation, and a second one with a secret input. None of them may pass. */
  cases?: readonly TestCase[];
  options?: RunTestsOptions;
  /** Required answer of the first case. Default: any answer will do. */
  says?: RegExp;
}

/**
 * A function that, given the `process` of Node, does on the host what no submission should; it answers with what it
 * could read.
 */
export function payload(world: AttackWorld): string {
  const { secretFile, targetFile, variable, port } = world;
  return `((process) => {
    const seen = [];
    const attempt = (act) => { try { seen.push(String(act())); } catch (error) { seen.push('no'); } };
    const get = (name) => process.getBuiltinModule(name);
    attempt(() => process.env[${JSON.stringify(variable)}]);
    attempt(() => get('node:fs').readFileSync('/proc/self/environ', 'utf8'));
    attempt(() => get('node:fs').readFileSync(${JSON.stringify(secretFile)}, 'utf8'));
    attempt(() => get('node:fs').writeFileSync(${JSON.stringify(targetFile)}, 'was here'));
    attempt(() => get('node:child_process').execFileSync('/bin/sh', ['-c', 'echo was here > ' + ${JSON.stringify(JSON.stringify(targetFile))}]));
    attempt(() => get('node:net').connect(${port}, '127.0.0.1'));
    return seen.join().slice(0, 100000);
  })`;
}

/** An attack that reaches for `process` by each of the expressions, and then uses it. */
export function escape(name: string, covers: readonly string[], expressions: readonly string[]): SubmissionAttack {
  return {
    name,
    covers,
    code: (world) => `
      const use = ${payload(world)};
      function attack(given) {
        const results = [];
        for (const reach of [${expressions.map((expression) => `() => (${expression})`).join(', ')}]) {
          try { results.push(use(reach())); } catch (error) { results.push('no'); }
        }
        return results;
      }`,
  };
}

/**
 * The time limit of an attack that must say `says`: short when it may say that its time ran out, else so generous that
 * a busy machine ends it by what it is about.
 */
export function timeLimitMs(says: RegExp | undefined): number {
  return says && /timed out/.test(says.source) ? 1000 : 60_000;
}
