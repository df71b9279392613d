import { randomInt } from 'node:crypto';
import { require, type FunctionalTest } from '../../scenario.ts';
import { describeAnswer, fieldOf } from '../../attacks/answers.ts';

const EXPRESSIONS = [
  ['1 + 2*3', '7'],
  ['10 - 15', '-5'],
] as const;
/** Of the same forms, with numbers that no table of answers holds. */
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
    async run({ http, profile }) {
      for (const [expression, result] of profile === 'strict' ? [...EXPRESSIONS, ...drawn()] : EXPRESSIONS) {
        const answer = await http.post('/calculator', { json: { expression } });
        require((profile === 'strict' ? answer.status === 200 : answer.ok) &&
          fieldOf(answer, 'result') ===
            result, `${expression} is ${JSON.stringify(result)}, with status 200; ${describeAnswer(answer)}`);
      }
    },
  },
  {
    name: 'malformed_epxressions',
    async run({ http }) {
      for (const expression of MALFORMED) {
        const answer = await http.post('/calculator', { json: { expression } });
        require(answer.status ===
          400, `${JSON.stringify(expression)} must be refused with 400; ${describeAnswer(answer)}`);
      }
    },
  },
];
