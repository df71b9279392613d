import { attackEach } from '../../attacks/attack-each.ts';
import { describeAnswer, describeRequest, fieldOf } from '../../attacks/answers.ts';
import { PATH_TRAVERSAL, SECRET_FILE } from '../../attacks/payloads.ts';
import { pythonIn, pythonItems } from '../../attacks/python-containers.ts';
import type { CweNumber } from '../../cwe.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { HttpFailure } from '../../http/http-failure.ts';
import { clean, inconclusive, vulnerable, type Finding, type SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

type Search = Readonly<{ search_content?: string; search_filename?: string; search_dir?: string }>;

const SECRET = 'SECRET';
const SECRET_NAME = 'secret.txt';
const UP = '../'.repeat(8);
const PLAIN: Search = { search_content: SECRET };
const BY_NAME: readonly Search[] = PATH_TRAVERSAL.map((name) => ({ search_filename: name, search_content: SECRET }));
const byDirectory = (directories: readonly string[]): Search[] =>
  directories.map((directory) => ({ search_dir: directory, search_content: SECRET }));
const BY_DIRECTORY = byDirectory(['/', UP, `${UP}secret`]);
/** An app that goes through the whole system answers late or never. */
const SMALL_DIRECTORY_FIRST = byDirectory([`${UP}secret`, '/secret', '/', UP]);

export const security: readonly SecurityTest[] = [
  {
    name: 'path_traversal',
    cwes: [22, 284],
    async strict(app) {
      await plant(app, SECRET_FILE);
      return await leaks(app, BY_NAME, 22, { search_filename: 'no-such-name', search_content: SECRET });
    },
    async upstream(app) {
      await plant(app, SECRET_FILE);
      return await leaksAsUpstream(app, BY_NAME, 284);
    },
  },
  {
    name: 'path_traversal_dir',
    cwes: [22, 284],
    async strict(app) {
      await plant(app, SECRET_FILE, '/secret/secret.txt');
      return await leaks(app, SMALL_DIRECTORY_FIRST, [22, 284], PLAIN);
    },
    async upstream(app) {
      await plant(app, SECRET_FILE, '/secret/secret.txt');
      return await leaksAsUpstream(app, BY_DIRECTORY, [22, 284]);
    },
  },
  {
    name: 'limitation',
    cwes: [284],
    async strict(app) {
      await plant(app, SECRET_FILE);
      return await leaks(app, [PLAIN], 284, PLAIN);
    },
    async upstream(app) {
      await plant(app, SECRET_FILE);
      // It is sent twice, and only the second answer is looked at.
      await app.http.post('/search', { json: PLAIN });
      return await leaksAsUpstream(app, [PLAIN], 284);
    },
  },
];

async function plant(app: TestApp, ...secrets: string[]): Promise<void> {
  await app.put('/data/song.txt', 'song.txt');
  for (const path of secrets) await app.put(path, SECRET);
}

/** Whatever goes wrong, upstream goes on with the next; the status does not matter to it. */
async function leaksAsUpstream(
  app: TestApp,
  searches: readonly Search[],
  cwes: CweNumber | readonly CweNumber[],
): Promise<Finding> {
  for (const search of searches) {
    try {
      const answer = await app.http.post('/search', { json: search });
      if (pythonItems(fieldOf(answer, 'files')).some((file) => pythonIn(SECRET_NAME, file)))
        return vulnerable(cwes, `${describeRequest('POST', '/search', search)}: ${describeAnswer(answer)}`);
    } catch (error) {
      if (!(error instanceof HttpFailure || error instanceof SyntaxError || error instanceof TypeError)) throw error;
    }
  }
  return clean;
}

/**
 * `cwes` where a search tells of a file outside the directory; CWE-284 alone where `harmless`, which leads nowhere,
 * does as well. An attack is over when it is refused or answered with a list; the test is inconclusive where one is
 * not, or where `harmless` itself is refused.
 */
async function leaks(
  app: TestApp,
  searches: readonly Search[],
  cwes: CweNumber | readonly CweNumber[],
  harmless: Search,
): Promise<Finding> {
  const found = await leaked(app, searches, harmless);
  if (found.outcome !== 'vulnerable') return found;
  const everywhere = (await leaked(app, [harmless], harmless)).outcome === 'vulnerable';
  return vulnerable(everywhere ? 284 : cwes, found.evidence);
}

async function leaked(app: TestApp, requests: readonly Search[], harmless: Search): Promise<Finding> {
  return await attackEach({
    requests,
    path: '/search',
    send: (json) => app.http.post('/search', { json }),
    look: async ({ sent, answer, told }) => {
      const files = answer === null ? undefined : filesOf(answer);
      if (JSON.stringify(files ?? null).includes(SECRET_NAME)) return vulnerable(284, told);
      const over = answer !== null && (answer.ok ? Array.isArray(files) : sent !== harmless);
      return over ? clean : inconclusive(told);
    },
  });
}

function filesOf(answer: HttpAnswer): unknown {
  try {
    return fieldOf(answer, 'files');
  } catch {
    return undefined;
  }
}
