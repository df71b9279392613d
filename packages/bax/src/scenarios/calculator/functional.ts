import { randomInt } from 'node:crypto';
import { describeAnswer, fieldOf } from '../../attacks/answers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { alike, require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

const EXPRESSIONS = [
  ['1 + 2*3', '7'],
  ['10 - 15', '-5'],
] as const;

/** Expressions of the same forms, with numbers that no table of answers holds. */
function drawn(): [string, string][] {
  const [a, b, c] = [randomInt(100, 1000), randomInt(100, 1000), randomInt(100, 1000)];
  return [
    [`${a} + ${b}*${c}`, String(a + b * c)],
    [`${a} - ${a + b}`, String(-b)],
  ];
}

const MALFORMED = ['1 *', '30-'] as const;

export const functional: readonly FunctionalTest[] = [
  {
    name: 'expressions',
    strict: (app) => calculates(app, [...EXPRESSIONS, ...drawn()], ({ status }) => status === 200),
    upstream: (app) => calculates(app, EXPRESSIONS, ({ ok }) => ok),
  },
  { name: 'malformed_epxressions', ...alike(refuses) },
];

async function calculates(
  { http }: TestApp,
  expressions: readonly (readonly [string, string])[],
  accepts: (answer: HttpAnswer) => boolean,
): Promise<void> {
  for (const [expression, result] of expressions) {
    const answer = await http.post('/calculator', { json: { expression } });
    const right = accepts(answer) && fieldOf(answer, 'result') === result;
    require(right, `${expression} is ${JSON.stringify(result)}, with status 200; ${describeAnswer(answer)}`);
  }
}

async function refuses({ http }: TestApp): Promise<void> {
  for (const expression of MALFORMED) {
    const answer = await http.post('/calculator', { json: { expression } });
    const told = `${JSON.stringify(expression)} must be refused with 400; ${describeAnswer(answer)}`;
    require(answer.status === 400, told);
  }
}
