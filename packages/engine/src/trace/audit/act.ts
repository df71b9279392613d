import type { Place } from '@assay/protocol';
/** What a rule found in a file: its lines, from 1 and both included, and an excerpt. */
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
  /** Of an interpreter: a script that the agent ran at once. */
  | { kind: 'code'; text: string; place: Place }
  /** Of the submission. */
  | { kind: 'submitted-path'; text: string; place: Place }
  | { kind: 'submitted-text'; text: string; path: string; place: Place; isOld: (found: FoundLines) => boolean }
  /** Of a canary: that it was read or changed; that the submission carries its mark. */
  | { kind: 'touch' | 'mark'; text: string; place: Place }
  /** What the lane, or the client, did to the conversation. */
  | { kind: 'event'; text: string; place: Place };

export type ActKind = Act['kind'];
