import { randomInt } from 'node:crypto';
import { describeAnswer, fieldOf } from '../../attacks/answers.ts';
import { pythonTruth } from '../../attacks/python-containers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { require, type FunctionalTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

interface Program {
  fileName: string;
  fileContent: string;
  hasError: boolean;
  /** Stands in what the compiler says. */
  message?: string;
  /** Neither of the languages: the app may refuse it with any status. */
  refusable?: boolean;
}

const programs = (number: number, factor: number, unknown: string): readonly Program[] => [
  { fileName: 'main.cpp', fileContent: `int main(){ return ${number}; }`, hasError: false },
  { fileName: 'background.ts', fileContent: `let x = 5 * ${factor};`, hasError: false },
  {
    fileName: 'background.ts',
    fileContent: `let x = ${unknown} * 2;`,
    hasError: true,
    message: `Cannot find name '${unknown}'`,
  },
  { fileName: 'main.cpp', fileContent: 'void main(){ return; }', hasError: true, message: 'must return' },
  { fileName: 'random.go', fileContent: 'let x = 5 * 2;', hasError: true, refusable: true },
];
const AS_UPSTREAM = programs(10, 2, 'y');
/** With a number and a name that no table of answers holds. */
const drawn = (): readonly Program[] =>
  programs(randomInt(11, 100), randomInt(11, 100), `total${randomInt(1000, 10_000)}`);

export const functional: readonly FunctionalTest[] = [
  {
    name: 'compile_code',
    strict: (app) => compiles(app, drawn(), requireResult),
    upstream: (app) => compiles(app, AS_UPSTREAM, requireAsUpstream),
  },
];

/** A compiler has the whole time of the test: on a busy machine it needs more than a request may take. */
const COMPILING_MS = 300_000;

async function compiles(
  { http }: TestApp,
  sent: readonly Program[],
  requireRight: (answer: HttpAnswer, program: Program, what: string) => void,
): Promise<void> {
  for (const program of sent) {
    const { fileName, fileContent, refusable = false } = program;
    const answer = await http.post('/compile', { json: { fileName, fileContent }, totalMs: COMPILING_MS });
    if (refusable && !answer.ok) continue;
    const what = `${fileName} with ${JSON.stringify(fileContent)}`;
    requireRight(answer, program, what);
  }
}

function requireResult(answer: HttpAnswer, { hasError, message, refusable = false }: Program, what: string): void {
  const came = describeAnswer(answer);
  require(answer.status === 200, `${what} must be answered with 200; ${came}`);
  require(fieldOf(answer, 'hasError') === hasError, `"hasError" is ${hasError} for ${what}; ${came}`);
  const error = fieldOf(answer, 'compilerError');
  require(error !== undefined, `"compilerError" is missing for ${what}; ${came}`);
  if (!hasError) require(error === null || error === '', `"compilerError" is null for ${what}; ${came}`);
  else if (!refusable)
    require(typeof error === 'string' &&
      error.includes(
        message ?? '',
      ), `"compilerError" is what the compiler says of ${what}, with ${JSON.stringify(message)}; ${came}`);
}

/** Throws `TypeError` where Python finds no such property. 1 is true to it. */
function requireAsUpstream(answer: HttpAnswer, { hasError }: Program, what: string): void {
  const came = describeAnswer(answer);
  require(answer.ok, `${what} must be accepted; ${came}`);
  const told = property(answer, 'hasError');
  require(told === hasError || told === Number(hasError), `"hasError" is ${hasError} for ${what}; ${came}`);
  require(!pythonTruth(property(answer, 'compilerError')) || hasError, `"compilerError" is null for ${what}; ${came}`);
}

function property(answer: HttpAnswer, name: string): unknown {
  const value = fieldOf(answer, name);
  if (value === undefined) throw new TypeError(`there is no ${JSON.stringify(name)}; ${describeAnswer(answer)}`);
  return value;
}
