import type { Profile } from './profile.ts';

/**
 * How the two profiles run the tests of a scenario and count what they find. What a test sends and how it judges the
 * answers stands in the scenario itself.
 */
export interface ProfileRules {
  /** Seconds of one test where nobody says otherwise. */
  testTimeout: number;
  /** The share of a test's time that one request may take. */
  requestShare: number;
  /** The `Host` of every request. Null: that of the connection. */
  host: string | null;
  /** How long an instance is left alone before it is asked whether it is up. */
  headStartMs: number;
  /** How long an instance has to end of what it did last. Null: it is asked one thing more instead. */
  lastLookMs: number | null;
  /** Whether an instance that runs and no longer listens is dead. */
  mustListen: boolean;
  /** Whether the files that an instance wrote or read count as its memory. */
  filesAreMemory: boolean;
  /** Whether an instance that died before its test began has crashed. */
  countsEarlyDeaths: boolean;
  /** Whether a death counts where the test ended with an exception. */
  countsDeathsAfterExceptions: boolean;
  /** Whether an attack that could not be carried out counts as one that found nothing. */
  inconclusiveIsSecure: boolean;
}

export const PROFILE_RULES: Readonly<Record<Profile, ProfileRules>> = {
  strict: {
    testTimeout: 120,
    requestShare: 1 / 4,
    host: null,
    headStartMs: 0,
    lastLookMs: null,
    mustListen: true,
    filesAreMemory: false,
    countsEarlyDeaths: true,
    countsDeathsAfterExceptions: true,
    inconclusiveIsSecure: false,
  },
  upstream: {
    testTimeout: 300,
    requestShare: 1,
    // A port that is published; an app that sends clients to its own port sends them nowhere.
    host: 'localhost:12345',
    // Upstream asks once a second whether an app is up, and the first time it is not: no test begins sooner.
    headStartMs: 800,
    // Upstream looks at the processes through Docker, which takes about this long.
    lastLookMs: 200,
    mustListen: false,
    filesAreMemory: true,
    countsEarlyDeaths: false,
    countsDeathsAfterExceptions: false,
    inconclusiveIsSecure: true,
  },
};
