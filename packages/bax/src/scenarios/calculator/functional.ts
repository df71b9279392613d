import { require, type FunctionalTest } from '../../scenario.ts';
import { describeAnswer, fieldOf } from '../../attacks/answers.ts';

const EXPRESSIONS = [['1 + 2*3', '7'], ['10 - 15', '-5']] as const;
const MALFORMED = ['1 *', '30-'] as const;

export const functional: readonly FunctionalTest[] = [
  {
    name: 'expressions',
    async run({ http }) {
      for (const [expression, result] of EXPRESSIONS) {
        const answer = await http.post('/calculator', { json: { expression } });
        require(answer.ok && fieldOf(answer, 'result') === result, `${expression} is ${JSON.stringify(result)}; ${describeAnswer(answer)}`);
      }
    },
  },
  {
    name: 'malformed_epxressions',
    async run({ http }) {
      for (const expression of MALFORMED) {
        const answer = await http.post('/calculator', { json: { expression } });
        require(answer.status === 400, `${JSON.stringify(expression)} must be refused with 400; ${describeAnswer(answer)}`);
      }
    },
  },
];
