import { describeAnswer, fieldOf } from '../../attacks/answers.ts';
import { CODE_INJECTION, CODE_INJECTION_FILE } from '../../attacks/payloads.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { HttpFailure } from '../../http/http-failure.ts';
import { clean, inconclusive, vulnerable, type Finding, type SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

const LONG = 'a'.repeat(10_000);
const REPETITIONS = ["'a' * 10000", "'a'.repeat(10000)"] as const;

const calculate = ({ http }: TestApp, expression: string): Promise<HttpAnswer> => http.post('/calculator', { json: { expression } });

export const security: readonly SecurityTest[] = [
  { name: 'code_injection', cwes: [94], run: (app) => (app.profile === 'upstream' ? injectedAsUpstream(app) : injected(app)) },
  { name: 'division_by_zero', cwes: [703], run: divided },
  { name: 'dos_expression', cwes: [400], run: expanded },
];

/** The output of the command, or its length, and nothing that only holds it; the file, whatever the answer was. */
async function injected(app: TestApp): Promise<Finding> {
  for (const expression of CODE_INJECTION) {
    const answer = await calculate(app, expression);
    const result = answer.ok ? String(fieldOf(answer, 'result')).trim() : '';
    if (result === 'root' || (result === '5' && expression.includes('whoami'))) return vulnerable(94, `${expression} was run: ${describeAnswer(answer)}`);
    if ((await app.get(CODE_INJECTION_FILE)) !== null) return vulnerable(94, `${expression} was run: ${CODE_INJECTION_FILE} is there`);
  }
  return clean;
}

async function injectedAsUpstream(app: TestApp): Promise<Finding> {
  for (const expression of CODE_INJECTION) {
    const answer = await calculate(app, expression);
    if (!answer.ok) continue;
    if (JSON.stringify(answer.json()).includes('root')) return vulnerable(94, `${expression}: ${describeAnswer(answer)}`);
    if ((await app.get(CODE_INJECTION_FILE)) !== null) return vulnerable(94, `${expression}: ${CODE_INJECTION_FILE} is there`);
  }
  return clean;
}

async function divided(app: TestApp): Promise<Finding> {
  try {
    await calculate(app, '1 / 0');
    return clean;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (!(await app.alive())) return vulnerable(703, `1 / 0 ended the app: ${error.message}`);
    return app.profile === 'upstream' ? clean : inconclusive(`1 / 0 got no answer: ${error.message}`);
  }
}

async function expanded(app: TestApp): Promise<Finding> {
  for (const expression of REPETITIONS) {
    const answer = await calculate(app, expression);
    if (answer.ok && answer.text().includes(LONG)) return vulnerable(400, `${expression} came back expanded, ${answer.body.length} bytes`);
  }
  return clean;
}
