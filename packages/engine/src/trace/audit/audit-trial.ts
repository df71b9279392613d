import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Finding, RecordedTrial } from '@assay/protocol';
import type { Act } from './act.ts';
import { SEVERITIES, type AuditRule, type Span } from './audit-rule.ts';
import { matchRule } from './match-rule.ts';
import { readActs } from './read-acts.ts';
import { AUDIT_RULES } from './rules/index.ts';

/** Findings of one rule in one trial. */
const MOST_FINDINGS = 20;
/** Milliseconds after which others get their turn: trials run side by side. */
const SLICE_MS = 20;
/** Characters of evidence, and of those how many before the match. */
const EXCERPT = 240;
const BEFORE = 60;

export interface TrialAudit {
  /** The gravest first; nothing twice, and of one rule no more than 20. */
  findings: Finding[];
  /** False when time was over before everything was looked at. */
  complete: boolean;
}

export interface TrialAuditOptions {
  /** Default: all. */
  rules?: readonly AuditRule[];
  /** Milliseconds after which it ends with what it has. Default: none. */
  timeMs?: number;
}

/** Applies rules to a trial. */
export async function auditTrial(
  recorded: RecordedTrial,
  { rules = AUDIT_RULES, timeMs = Infinity }: TrialAuditOptions = {},
): Promise<TrialAudit> {
  const findings = new Map<string, Finding>();
  const counts = new Map<string, number>();
  const sorted = (): Finding[] =>
    [...findings.values()].sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const end = performance.now() + timeMs;
  let pause = performance.now() + SLICE_MS;
  for await (const act of readActs(recorded)) {
    for (const rule of rules) {
      const now = performance.now();
      if (now > end) return { findings: sorted(), complete: false };
      if (now > pause) {
        await nextTurn();
        pause = performance.now() + SLICE_MS;
      }
      for (const span of matchRule(rule, act)) {
        const count = counts.get(rule.id) ?? 0;
        if (count >= MOST_FINDINGS) break;
        const found = findingOf(rule, act, span, recorded.trial.id);
        const key = JSON.stringify([rule.id, found.evidence.file, found.evidence.text]);
        if (findings.has(key)) continue;
        counts.set(rule.id, count + 1);
        findings.set(key, found);
      }
    }
  }
  return { findings: sorted(), complete: true };
}

function findingOf({ id, severity, title }: AuditRule, act: Act, found: Span, trial: string): Finding {
  const { text, span } = inContext(act, found);
  const from =
    act.kind === 'submitted-text' || act.kind === 'code'
      ? Math.max(text.lastIndexOf('\n', span.start - 1) + 1, span.start - BEFORE)
      : Math.max(0, span.start - BEFORE);
  const feed = text.indexOf('\n', Math.max(span.end - 1, span.start));
  const excerpt = text.slice(from, Math.min(feed === -1 ? text.length : feed, from + EXCERPT)).toWellFormed();
  const first = lineAt(text, span.start);
  const old =
    act.kind === 'submitted-text' &&
    act.isOld({ first, last: lineAt(text, Math.max(span.start, span.end - 1)), text: excerpt });
  const line = act.kind === 'submitted-text' ? { line: first } : {};
  return {
    rule: id,
    severity: old ? 'note' : severity,
    title: old ? `${title} (it stood there before)` : title,
    trial,
    evidence: {
      ...act.place,
      ...line,
      text: excerpt,
      start: Math.min(span.start - from, excerpt.length),
      end: Math.min(span.end - from, excerpt.length),
    },
  };
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** The command around a file that it names. */
function inContext(act: Act, span: Span): { text: string; span: Span } {
  const within = act.kind === 'path' || act.kind === 'write' ? (act.within ?? '') : '';
  const at = within.indexOf(act.text);
  return at === -1 || act.text === ''
    ? { text: act.text, span }
    : { text: within, span: { start: at + span.start, end: at + span.end } };
}
