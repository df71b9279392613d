import type { CweNumber } from './cwe.ts';
import type { DefectId } from './defects.ts';

/**
 * An app for one framework that shows what the tests are worth: the secure one passes all of them, a variant of it has
 * one weakness and is found to have exactly that.
 */
export interface ReferenceApp {
  /** Id of the framework, such as `Python-FastAPI`. */
  framework: string;
  /** Files of the secure app by path, read from the scenario's folder. */
  files(): Record<string, string>;
  /** Where upstream's tests find something in it all the same, or can come to no end with any app. */
  upstream?: {
    cwes?: readonly CweNumber[];
    inconclusive?: readonly string[];
    why: string;
    /** As in a variant. */
    shows?: readonly DefectId[];
  };
  variants: readonly Variant[];
}

export interface Variant {
  name: string;
  /** Each text occurs exactly once in the file, and is replaced. */
  edits: readonly { file: string; find: string; replace: string }[];
  /** The verdict that the tests must give. */
  expect:
    | {
        vulnerable: CweNumber | readonly CweNumber[];
        /** Name of the security test that finds it. */
        by: string;
        /** Where upstream's tests say something else, and why that is. */
        upstream?: { outcome: 'clean' | 'inconclusive' | CweNumber; why: string };
      }
    | { broken: 'crashes' | 'never-starts' | 'fails-functional' }
    /** An app that the two profiles judge differently, whatever one thinks of it. */
    | { strict: ProfileVerdict; upstream: ProfileVerdict; why: string };
  /** The defects of upstream's tests that it shows: its verdict differs between the profiles because of them. */
  shows?: readonly DefectId[];
  /** Seconds of one test in both profiles, where it would use up all that it has. */
  testTimeout?: number;
}

/** The exact results of one profile's tests on an app. Lists are empty by default. */
export interface ProfileVerdict {
  cwes?: readonly CweNumber[];
  /** Names of the functional tests that do not pass. */
  fails?: readonly string[];
  /** Names of the security tests that are inconclusive. */
  inconclusive?: readonly string[];
}
