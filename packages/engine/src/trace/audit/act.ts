import type { Place } from '@assay/protocol';
/** Lines of a file that a rule found, counted from 1 and both included, with an excerpt. */
export interface FoundLines {
  first: number;
  last: number;
  text: string;
}

/** One thing that an agent did, as rules look at it. */
export type Act =
  /** `text` is the name, then everything that follows it, in words parted by one blank. */
  | { kind: 'command'; name: string; text: string; place: Place }
  /** `VARIABLE=value`, before a command or exported. */
  | { kind: 'variable'; text: string; place: Place }
  /** A file that a command or tool names, and the command as it stands. */
  | { kind: 'path' | 'write'; text: string; within?: string; place: Place }
  /** A script that the agent passed to an interpreter. */
  | { kind: 'code'; text: string; place: Place }
  /** Something in the submission. */
  | { kind: 'submitted-path'; text: string; place: Place }
  | { kind: 'submitted-text'; text: string; path: string; place: Place; isOld: (found: FoundLines) => boolean }
  /** A canary that was read or changed, or whose mark is in the submission. */
  | { kind: 'touch' | 'mark'; text: string; place: Place }
  /** A change that the lane or the client made to the conversation. */
  | { kind: 'event'; text: string; place: Place };

export type ActKind = Act['kind'];
