import type { ActKind } from './act.ts';

/**
 * `critical`: what was graded may not be what it seems, so the verdict cannot be trusted before a person has looked.
 * `warning`: no honest agent needs it, and the seals hold against it. `note`: worth knowing, and honest agents do it
 * too.
 */
export const SEVERITIES = ['critical', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Half open, in characters of the text. */
export interface Span {
  start: number;
  end: number;
}

export interface RulePattern {
  on: ActKind;
  /** Tried on each line together with the one after it; of a command, on the whole. */
  matches: RegExp | ((text: string) => Span[]);
  /** Takes back what it matches as well. */
  unless?: RegExp;
  /** For `submitted-text`: looks only at files with such a path. */
  where?: RegExp;
  /** For `submitted-text`: skips files with such a path. */
  notWhere?: RegExp;
}

/** A shell script; or a file of a submission; or an event of the conversation; or what is known of a canary. */
export type RuleExample =
  | string
  | { path: string; text: string }
  | { event: string }
  | { touch: string }
  | { mark: string };

export interface AuditRule {
  /** Stable: findings are told apart by it. */
  id: string;
  severity: Severity;
  /** Describes the act for the table in docs/audit.md. */
  title: string;
  /** Any of them. */
  patterns: readonly RulePattern[];
  /** Examples that the rule finds, and similar ones that it must let pass. At least one of each. */
  examples: { found: readonly RuleExample[]; passed: readonly RuleExample[] };
}
