import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerHeaders } from '../http/answer-head.ts';
import { CookieJar } from '../http/cookie-jar.ts';
import { HttpAnswer } from '../http/http-answer.ts';
import { runsScript, SCRIPTS } from './page-scripts.ts';

const [SCRIPT, , ATTRIBUTE] = SCRIPTS;
const HTML = { 'Content-Type': 'text/html; charset=utf-8' };

function runs(body: string, headers: Record<string, string> = HTML, script: string = SCRIPT): boolean {
  const answer = new HttpAnswer({
    status: 200,
    reason: 'OK',
    headers: new AnswerHeaders(Object.entries(headers)),
    body: Buffer.from(body),
    cookies: new CookieJar(),
    redirects: 0,
    elapsedMs: 0,
  });
  return runsScript(answer, script);
}
const under = (policy: string, script: string = SCRIPT): boolean =>
  runs(`<p>${script}`, { ...HTML, 'Content-Security-Policy': policy }, script);

test('a script that stands in a page as it was sent runs', () => {
  for (const script of SCRIPTS) {
    assert.equal(runs(`<html><body>${script}</body></html>`, HTML, script), true, script);
    assert.equal(runs(script, {}, script), true, 'a browser guesses where there is no type');
    assert.equal(runs(script.replaceAll('<', '&lt;'), HTML, script), false);
  }
});

test('what is not shown as a page runs nothing', () => {
  assert.equal(runs(SCRIPT, { 'Content-Type': 'text/plain' }), false);
  assert.equal(runs(SCRIPT, { 'Content-Type': 'application/json' }), false);
  assert.equal(runs(SCRIPT, { 'X-Content-Type-Options': 'nosniff' }), false);
  assert.equal(runs(SCRIPT, { ...HTML, 'Content-Disposition': 'attachment; filename="a.html"' }), false);
  assert.equal(runs(SCRIPT, { ...HTML, 'Content-Disposition': 'inline' }), true);
});

test('a policy keeps inline scripts from running where it says so', () => {
  for (const policy of [
    'sandbox',
    "default-src 'none'",
    "script-src 'self'",
    "default-src 'self', script-src *",
    "script-src 'unsafe-inline' 'nonce-abc'",
    "sandbox allow-forms; script-src 'unsafe-inline'",
  ]) {
    assert.equal(under(policy), false, policy);
    assert.equal(under(policy, ATTRIBUTE), false, policy);
  }
  for (const policy of [
    'sandbox allow-scripts',
    "img-src 'self'",
    "script-src 'unsafe-inline'",
    "default-src 'none'; script-src 'self' 'unsafe-inline'",
    '',
  ]) {
    assert.equal(under(policy), true, policy);
    assert.equal(under(policy, ATTRIBUTE), true, policy);
  }
  assert.equal(under("script-src-elem 'self'"), false);
  assert.equal(under("script-src-elem 'self'", ATTRIBUTE), true);
  assert.equal(under("script-src-attr 'none'", ATTRIBUTE), false);
  assert.equal(runs(SCRIPT, { ...HTML, 'Content-Security-Policy-Report-Only': 'sandbox' }), true);
});

test("a policy of the page's own counts for what follows it", () => {
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
  assert.equal(runs(`<head>${policy}</head>${SCRIPT}`), false);
  assert.equal(runs(`${SCRIPT}${policy}`), true);
});

test('a frame is a cage only when it is sealed', () => {
  assert.equal(runs(`<iframe sandbox srcdoc="${SCRIPT}"></iframe>`), false);
  assert.equal(runs(`<iframe srcdoc="${SCRIPT}" sandbox="allow-forms"></iframe>`), false);
  assert.equal(runs(`<iframe sandbox="allow-forms allow-scripts" srcdoc="${SCRIPT}"></iframe>`), true);
  assert.equal(runs(`<iframe srcdoc="${SCRIPT}"></iframe>`), true);
  assert.equal(runs(`<iframe sandbox srcdoc=""></iframe>${SCRIPT}`), true);
});
