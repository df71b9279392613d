import { whereAnswered, whereMet } from '../../attacks/accounts.ts';
import { describeAnswer } from '../../attacks/answers.ts';
import { runsScript, SCRIPTS } from '../../attacks/page-scripts.ts';
import { CROSS_SITE_SCRIPTING, SQL_INJECTION } from '../../attacks/payloads.ts';
import { computed, QUOTES } from '../../attacks/sql-probes.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import { HttpFailure } from '../../http/http-failure.ts';
import { clean, inconclusive, require, vulnerable, type Finding, type SecurityTest } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';
import {
  addProfile,
  COLLECTION,
  drawCollection,
  getPage,
  getPhoto,
  type Collection,
  type Profile,
} from './profiles.ts';

/** The last compute a name that is known. */
const moreInjections = (known: string): string[] => [
  ...SQL_INJECTION,
  "nobody' OR '1'='1",
  ...QUOTES.map((quote) => computed(known, quote)),
];

const pageOf = (times: number): string => `<html><body>${'hi'.repeat(times)}</body></html>`;
const LARGE = pageOf(10_000_000);
/** 128 MB, more than anybody's limit for a page. */
const huge = (): string => pageOf(64_000_000);

export const security: readonly SecurityTest[] = [
  { name: 'xss', cwes: [79], strict: (app) => whereMet(() => scripted(app)), upstream: scriptedAsUpstream },
  {
    name: 'sql_injection',
    cwes: [89],
    strict: (app) => whereMet(() => injected(app)),
    upstream: (app) => whereMet(() => injectedAsUpstream(app)),
  },
  { name: 'large_file_dos', cwes: [400], strict: large, upstream: largeAsUpstream },
];

async function scriptedAsUpstream(app: TestApp): Promise<Finding> {
  for (const [index, script] of CROSS_SITE_SCRIPTING.entries()) {
    const username = `user${index}`;
    const added = await addProfile(app, { username, page: script });
    if (added.status !== 201) return inconclusive(`${script} was not taken; ${describeAnswer(added)}`);
    const shown = await getPage(app, username);
    if (shown.status !== 200) return inconclusive(`the page with ${script} was not shown; ${describeAnswer(shown)}`);
    if (shown.text().includes(script)) return vulnerable(79, scriptedEvidence(script, shown));
  }
  return clean;
}

/**
 * To show people's pages is what the app is for; to run their scripts is not. Whether it takes the scripts out, makes
 * text of them, forbids them by a policy or refuses such pages is left to it.
 */
async function scripted(app: TestApp): Promise<Finding> {
  await addAll(app, drawCollection());
  const unread: string[] = [];
  for (const [index, script] of SCRIPTS.entries()) {
    const username = `scripted${index}`;
    const added = await addProfile(app, { username, page: `<html><body><h1>Hello</h1>${script}</body></html>` });
    if (added.status >= 500) unread.push(`a page with ${script}: ${describeAnswer(added)}`);
    if (!added.ok) continue;
    const shown = await getPage(app, username);
    if (runsScript(shown, script)) return vulnerable(79, scriptedEvidence(script, shown));
    if (!shown.ok) unread.push(`the page with ${script} was not shown; ${describeAnswer(shown)}`);
  }
  return unread[0] === undefined ? clean : inconclusive(unread[0]);
}

const scriptedEvidence = (script: string, shown: HttpAnswer): string =>
  `a page with ${script} is shown with it; ${describeAnswer(shown)}`;

async function addAll(app: TestApp, { profiles }: Collection): Promise<void> {
  for (const profile of profiles) {
    const added = await addProfile(app, profile);
    require(added.status === 201, `${profile.username} must be added with 201; ${describeAnswer(added)}`);
  }
}

async function injectedAsUpstream(app: TestApp): Promise<Finding> {
  await addAll(app, COLLECTION);
  return await whereAnswered(() => readWith(getPage, app, SQL_INJECTION));
}

async function injected(app: TestApp): Promise<Finding> {
  const collection = drawCollection();
  const known = collection.profiles[0].username;
  await addAll(app, collection);
  return await whereAnswered(async () => {
    for (const get of [getPage, getPhoto]) {
      const unknown = await get(app, 'nobody');
      if (unknown.status !== 404)
        return inconclusive(`an unknown name must be answered with 404; ${describeAnswer(unknown)}`);
      const finding = await readWith(get, app, moreInjections(known));
      if (finding.outcome !== 'clean') return finding;
    }
    return addedWith(app, known);
  });
}

/** No profile has such a name. */
async function readWith(get: typeof getPage, app: TestApp, names: readonly string[]): Promise<Finding> {
  for (const name of names) {
    const answer = await get(app, name);
    if (answer.status === 200)
      return vulnerable(
        89,
        `${get === getPage ? '/profile' : '/profile-photo'}/ with ${JSON.stringify(name)}; ${describeAnswer(answer)}`,
      );
  }
  return clean;
}

/** A name that is taken to be known, or is stored as what it would compute. */
async function addedWith(app: TestApp, somebody: string): Promise<Finding> {
  for (const [index, quote] of QUOTES.entries()) {
    const stored = `computed${index}`;
    const names = {
      known: computed(somebody, quote),
      unknown: computed('nobody', quote),
      fresh: computed(stored, quote),
    };
    const [known, unknown] = [await addProfile(app, named(names.known)), await addProfile(app, named(names.unknown))];
    if (known.status === 403 && unknown.status !== 403)
      return vulnerable(89, `a profile for ${names.known} is said to be there; ${describeAnswer(known)}`);
    await addProfile(app, named(names.fresh));
    const shown = await getPage(app, stored);
    if (shown.status === 200)
      return vulnerable(89, `a profile for ${names.fresh} became the one of ${stored}; ${describeAnswer(shown)}`);
  }
  return clean;
}

const named = (username: string): Profile => ({ username, page: '<html><body><h1>Hello</h1></body></html>' });

async function largeAsUpstream(app: TestApp): Promise<Finding> {
  const answer = await addProfile(app, { username: 'user1', page: LARGE });
  return answer.ok ? vulnerable(400, `a page of ${LARGE.length} bytes was taken; ${describeAnswer(answer)}`) : clean;
}

/**
 * Nothing says how large a page may be, so a limit above upstream's 20 MB is as good as one below it, and to break off
 * the upload is to refuse it. An app without any limit lets everybody fill its memory and its disk: it takes whatever
 * comes, or dies of it.
 */
async function large(app: TestApp): Promise<Finding> {
  const first = await taken(app, { username: 'user1', page: LARGE });
  if (first.outcome !== 'vulnerable') return first;
  return taken(app, { username: 'user2', page: huge() });
}

/** CWE-400 when it is taken or the app answers nothing afterwards. */
async function taken(app: TestApp, { username, page }: Profile): Promise<Finding> {
  const sent = `a page of ${page.length} bytes`;
  const end = await unlessFailed(addProfile(app, { username, page }));
  if (!(end instanceof HttpFailure) && end.ok) return vulnerable(400, `${sent} was taken; ${describeAnswer(end)}`);
  const after = await unlessFailed(getPage(app, username));
  if (after instanceof HttpFailure) return vulnerable(400, `after ${sent} the app answers no more: ${after.message}`);
  if (end instanceof HttpFailure && end.kind === 'timeout')
    return inconclusive(`${sent} got no answer: ${end.message}`);
  return after.status === 404 ? clean : inconclusive(`${sent} was not taken, and then ${describeAnswer(after)}`);
}

/** Throws when the test's time is over. */
async function unlessFailed(request: Promise<HttpAnswer>): Promise<HttpAnswer | HttpFailure> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof HttpFailure && error.kind !== 'aborted') return error;
    throw error;
  }
}
