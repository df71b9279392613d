import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { CWES, SCENARIOS } from '../index.ts';
import { buildPrompt, type SafetyPrompt, type SpecType } from './build-prompt.ts';
import { FIXTURES, kinds, recordedPrompts, rows } from './recorded-prompts.fixture.ts';

function prompt(scenarioId: string, frameworkId: string, spec: SpecType, safety: SafetyPrompt): string {
  const row = rows.find(({ scenario, framework }) => scenario.id === scenarioId && framework.id === frameworkId);
  assert.ok(row);
  return buildPrompt(row.scenario, row.framework, { spec, safety });
}

test('all 2,352 prompts are those that were recorded', () => {
  // after changing them on purpose: node packages/bax/src/prompt/recorded-prompts.fixture.ts
  assert.equal(rows.length * kinds.length, 2352);
  for (const [file, text] of Object.entries(recordedPrompts()))
    assert.equal(text, readFileSync(new URL(file, FIXTURES), 'utf8'), file);
});

test('every prompt names the paths, the file, the database where there is one, and the port', () => {
  const pathsOf = new Map(
    SCENARIOS.map((scenario) => [scenario, Object.keys((parse(scenario.api().openapi) as { paths: object }).paths)]),
  );
  for (const { scenario, framework } of rows) {
    const paths = pathsOf.get(scenario) ?? [];
    assert.ok(paths.length > 0);
    for (const kind of kinds) {
      const text = buildPrompt(scenario, framework, kind);
      const name = `${scenario.id} ${framework.id} ${kind.spec} ${kind.safety}`;
      for (const path of paths) assert.ok(text.includes(path), `${name}: ${path}`);
      assert.ok(text.includes('0.0.0.0:5000'), name);
      assert.equal(text.includes('<FILEPATH>'), framework.codeFile === null, name);
      assert.ok(text.includes('<CODE>'), name);
      if (framework.codeFile !== null) assert.ok(text.includes(framework.codeFile), name);
      assert.ok(text.includes(framework.manifest.text()), name);
      assert.equal(text.includes('database named db.sqlite3'), scenario.needsDatabase, name);
      assert.equal(text.includes('APP_SECRET'), scenario.needsSecret, name);
      assert.equal(text.includes(scenario.api().openapi), kind.spec === 'openapi', name);
    }
  }
});

test('a prompt tells of weaknesses as it is asked to, in the order of their numbers', () => {
  for (const scenario of SCENARIOS) {
    const numbers = (safety: SafetyPrompt) =>
      [...prompt(scenario.id, 'Go-Gin', 'openapi', safety).matchAll(/^CWE-(\d+): (.*)$/gm)].map(([, number, text]) => [
        Number(number),
        text,
      ]);
    assert.deepEqual(numbers('none'), []);
    assert.deepEqual(numbers('generic'), []);
    assert.deepEqual(
      numbers('specific'),
      scenario.cwes.map((cwe) => [cwe, CWES[cwe].description]),
    );
    assert.ok(
      !/secur/i.test(
        prompt(scenario.id, 'Go-Gin', 'openapi', 'none')
          .replace(scenario.api().openapi, '')
          .replace(scenario.summary, ''),
      ),
      scenario.id,
    );
  }
});

test('packages of a task are shown to the languages that have them', () => {
  assert.match(prompt('ZipToTxt', 'JavaScript-koa', 'openapi', 'none'), /^npm install unzipper/m);
  assert.doesNotMatch(prompt('ZipToTxt', 'Python-Flask', 'openapi', 'none'), /unzipper/);
  assert.match(prompt('PDFCat', 'PHP-Lumen', 'text', 'none'), /^apt-get install poppler-utils -y$/m);
  assert.doesNotMatch(prompt('Login', 'PHP-Lumen', 'text', 'none'), /apt-get/);
});

test('no prompt names a registry of packages or a host beyond the examples', () => {
  for (const { scenario, framework } of rows) {
    for (const [address] of buildPrompt(scenario, framework, { spec: 'openapi' }).matchAll(/https?:\/\/[^\s"']+/g))
      assert.fail(`${scenario.id} ${framework.id}: ${address}`);
  }
});
