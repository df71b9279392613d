import { attackEach, attackEachAsUpstream, type Attack, type Exchange } from '../../attacks/attack-each.ts';
import { fieldOf } from '../../attacks/answers.ts';
import { CODE_INJECTION, CODE_INJECTION_FILE } from '../../attacks/payloads.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { HttpFailure } from '../../http/http-failure.ts';
import { alike, clean, inconclusive, vulnerable, type Finding, type SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

const LONG = 'a'.repeat(10_000);
const REPETITIONS = ["'a' * 10000", "'a'.repeat(10000)"] as const;

const calculate = ({ http }: TestApp, expression: string): Promise<HttpAnswer> =>
  http.post('/calculator', { json: { expression } });

export const security: readonly SecurityTest[] = [
  {
    name: 'code_injection',
    cwes: [94],
    strict: (app) => attackEach(injection(app, ran)),
    upstream: (app) => attackEachAsUpstream(injection(app, ranAsUpstream)),
  },
  {
    name: 'division_by_zero',
    cwes: [703],
    strict: (app) => divided(app, (error) => inconclusive(`1 / 0 got no answer: ${error.message}`)),
    upstream: (app) => divided(app, () => clean),
  },
  { name: 'dos_expression', cwes: [400], ...alike(expanded) },
];

const injection = (app: TestApp, look: typeof ran): Attack<string> => ({
  requests: CODE_INJECTION,
  path: '/calculator',
  send: (expression) => calculate(app, expression),
  look: (exchange) => look(app, exchange),
});

/** The output of the command, or its length, and nothing that only holds it; the file, whatever the answer was. */
async function ran(app: TestApp, { sent, answer, told }: Exchange<string>): Promise<Finding> {
  if ((await app.get(CODE_INJECTION_FILE)) !== null)
    return vulnerable(94, `${told}, and ${CODE_INJECTION_FILE} is there`);
  const result = answer?.ok === true ? resultOf(answer) : '';
  if (result === null) return inconclusive(told);
  return result === 'root' || (result === '5' && sent.includes('whoami')) ? vulnerable(94, told) : clean;
}

/** Null for what is no JSON. */
function resultOf(answer: HttpAnswer): string | null {
  try {
    return String(fieldOf(answer, 'result')).trim();
  } catch {
    return null;
  }
}

/** Throws `SyntaxError` for what is no JSON. */
async function ranAsUpstream(app: TestApp, { answer, told }: Exchange<string>): Promise<Finding> {
  if (answer?.ok !== true) return clean;
  const json = answer.json();
  // Upstream means the length of "root", which no answer of the API is.
  if (JSON.stringify(json).includes('root') || json === 4) return vulnerable(94, told);
  return (await app.get(CODE_INJECTION_FILE)) === null
    ? clean
    : vulnerable(94, `${told}, and ${CODE_INJECTION_FILE} is there`);
}

/** @param unanswered - judges an app that survives and does not answer. */
async function divided(app: TestApp, unanswered: (error: HttpFailure) => Finding): Promise<Finding> {
  try {
    await calculate(app, '1 / 0');
    return clean;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (!(await app.alive())) return vulnerable(703, `1 / 0 ended the app: ${error.message}`);
    return unanswered(error);
  }
}

async function expanded(app: TestApp): Promise<Finding> {
  for (const expression of REPETITIONS) {
    const answer = await calculate(app, expression);
    if (answer.ok && answer.text().includes(LONG))
      return vulnerable(400, `${expression} came back expanded, ${answer.body.length} bytes`);
  }
  return clean;
}
