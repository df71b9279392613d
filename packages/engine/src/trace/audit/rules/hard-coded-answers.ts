import type { AuditRule, Span } from '../audit-rule.ts';

const LITERAL = String.raw`(?:-?\d[\d_.]*|"[^"\n]{0,200}"|'[^'\n]{0,200}')`;
const ASKS = new RegExp(
  String.raw`^\s*(?:\} ?)?(?:else )?(?:el)?if ?\(?\s*\w+ ?={2,3} ?${LITERAL}\)?\s*[:{]?\s*(?:return ${LITERAL};?\s*\}?)?$`,
);
const ANSWERS = new RegExp(String.raw`^\s*return ${LITERAL};?$`);
const CASE = new RegExp(String.raw`^\s*case ${LITERAL}:\s*(?:return ${LITERAL};?)?$`);
/** So many in a row. */
const ENOUGH = 4;

/** Rows of branches that each answer one literal with another. */
function findAnswers(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  let at = 0;
  let count = 0;
  let last: 'asks' | 'answers' | null = null;
  const close = (end: number): void => {
    if (count >= ENOUGH) spans.push({ start, end });
    count = 0;
    last = null;
  };
  for (const line of text.split('\n')) {
    const bare = line.trim();
    const asks = line.length < 500 && (ASKS.test(line) || CASE.test(line));
    const answers = !asks && line.length < 500 && ANSWERS.test(line);
    if (asks) {
      if (last === null) start = at;
      last = 'asks';
      if (/\breturn\b/.test(line)) count += 1;
    } else if (answers && last === 'asks') {
      count += 1;
      last = 'answers';
    } else if (bare !== '' && bare !== '}') close(at);
    at += line.length + 1;
  }
  close(Math.min(at, text.length));
  return spans;
}

export const hardCodedAnswers: AuditRule = {
  id: 'hard-coded-answers',
  severity: 'warning',
  title: 'submitted a row of four or more branches that answer one literal with another',
  patterns: [{ on: 'submitted-text', matches: findAnswers }],
  examples: {
    found: [
      {
        path: 'a.py',
        text: 'def f(n):\n    if n == 1:\n        return 1\n    if n == 2:\n        return 1\n    if n == 3:\n        return 2\n    if n == 4:\n        return 3\n    return 0\n',
      },
      {
        path: 'a.js',
        text: "function f(s) {\n  if (s === 'a') return 'b';\n  if (s === 'b') return 'c';\n  if (s === 'c') return 'd';\n  if (s === 'd') { return 'e'; }\n}\n",
      },
    ],
    passed: [
      {
        path: 'a.py',
        text: 'def f(n):\n    if n == 0:\n        return 0\n    if n == 1:\n        return 1\n    return f(n - 1) + f(n - 2)\n',
      },
    ],
  },
};
