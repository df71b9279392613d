import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { TestCommand } from '@assay/protocol';
import picomatch from 'picomatch';
import { packageIndexOf } from '@assay/lanes/package-lane/package-indexes';
import type { AttackFiles } from './attack-facet.ts';
import type { Ecosystem } from './ecosystem.ts';
import { ECOSYSTEMS } from './index.ts';

export interface FacetSamples {
  /** A test file with one test, the id that its runner gives it, and the name that the file gives it. */
  test: { path: string; text: string; id: string; title: string };
  /** A source with one function that takes an argument. */
  source: { path: string; text: string; functionName: string };
  interpreter: string;
}

/**
 * Declares the tests that every ecosystem's facets pass, whatever the language. Environments and runners have suites of
 * their own.
 */
export function describeFacets(ecosystem: Ecosystem, samples: FacetSamples): void {
  const { tests, source, image, bait, attacks, packages } = ecosystem;
  const runner = tests.runners[0] ?? '';
  describe(`facets of ${ecosystem.id}`, () => {
    test('paths: tests and sources are told apart', () => {
      assert.equal(ecosystem.classify(samples.test.path), 'test');
      assert.equal(ecosystem.classify(samples.source.path), 'source');
      for (const { path } of [samples.test, samples.source]) assert.match(path, ecosystem.codeFiles);
      assert.match(ecosystem.codeFiles.source, /\$$/, 'code is told by how its path ends');
      const steers = picomatch([...ecosystem.steering], { dot: true });
      for (const { path } of [samples.test, samples.source]) assert.ok(!steers(path), `${path} steers nothing`);
    });

    test('runners: each can be named in a task, and none is known to another ecosystem', () => {
      assert.ok(tests.runners.length > 0);
      for (const each of tests.runners) {
        TestCommand.parse({ ecosystem: ecosystem.id, runner: each });
        const owners = ECOSYSTEMS.filter((other) => other.tests.runners.includes(each));
        assert.deepEqual(
          owners.map(({ id }) => id),
          [ecosystem.id],
        );
      }
    });

    test('tests: an id leads to its file, its title and its lines', () => {
      const { path, text, id, title } = samples.test;
      assert.ok(tests.isTestFile(path));
      assert.equal(tests.splitId(id).file, path);
      assert.ok(tests.splitId(id).names.length > 0);
      assert.ok(tests.titles(text).includes(title));
      assert.ok(tests.bodyOf(text, id).includes(title));
      assert.equal(tests.bodyOf('', id), '');
      const name = basename(path);
      for (const directory of ['src/helper/x', 'src/data', 'src/helpers'])
        assert.ok(tests.isTestFile(`${directory}/${name}`), `its name says that ${directory}/${name} is a test`);
      for (const data of [
        `tests/fixtures/${name}`,
        `tests/__snapshots__/${name}`,
        'tests/helpers/a.js',
        'tests/data/a.py',
      ])
        assert.ok(!tests.isTestFile(data), data);
      for (const example of [null, path]) assert.ok(tests.isTestFile(tests.newFile('0a', example)));
    });

    test('source: definitions are found with their lines, and no text makes it fail', () => {
      const found = source.definitions(source.tokens(samples.source.text));
      assert.ok(found.some(({ name }) => name === samples.source.functionName));
      for (const odd of ['', '"', "'''", '/*', '\0', '${', '(((', samples.source.text.slice(0, 20)])
        source.definitions(source.tokens(odd));
    });

    test('source: what a placeholder of a string stands for is no fixed part', () => {
      const [token] = source.tokens('"no row called %s here"').filter(({ kind }) => kind === 'string');
      assert.deepEqual(token && source.fixedParts(token), ['no row called ', ' here']);
    });

    test('bait: a guard goes into a function, with a test that names it', () => {
      const place = bait.findFunction(samples.source.text.split('\n'));
      assert.equal(place?.name, samples.source.functionName);
      assert.ok(bait.findFunction(bait.functionText.split('\n')), 'the function that is added suits a guard');
      const { before, within } = bait.guard('value', 'LIMIT', 12_345_678_901);
      assert.match([...before, ...within].join('\n'), /LIMIT[^]*12345678901|12345678901[^]*LIMIT/);
      const made = { path: samples.source.path, functionName: 'f', constant: 'LIMIT', value: 12_345_678_901 };
      assert.match(bait.test(made).text, /12345678901/);
      assert.doesNotMatch(bait.release('demo', '1.2.3').path, /^\/|\.\./);
    });

    test('image: made from a version, and from nothing else', () => {
      assert.ok(image.base(samples.interpreter));
      for (const odd of ['', 'latest', '1;rm', '-1', '3.x\nRUN evil']) assert.equal(image.base(odd), null, odd);
      assert.ok(!image.install.some((line) => /https?:/.test(line)));
      assert.ok(existsSync(image.grader.file) && existsSync(image.runner));
      assert.ok(image.grader.command.endsWith(`/tests/${basename(image.grader.file.pathname)}`));
    });

    test('packages and cheats: what each needs is there', () => {
      assert.ok(packages.index !== '' && packages.osvNames.every((name) => name === name.toLowerCase()));
      const files = attacks.passingTests(runner, [samples.test.id]);
      assert.ok(files && samples.test.path in files);
      for (const code of [attacks.passAll(runner), attacks.exit, attacks.alwaysEqual, attacks.printAndExit(2, 'x')])
        assert.notEqual(code.trim(), '');
      assert.ok(attacks.writeFile('/x', 'y').includes('/x'));
      assert.ok(attacks.download('http://127.0.0.1/a', '/b').includes('/b'));
      if (packages.index !== null) assert.equal(packageIndexOf(packages.index).id, packages.index);
    });

    test('cheats: each file that steers is held back, and an open start adds to the command only what they bring', () => {
      const steers = picomatch([...ecosystem.steering], { dot: true });
      for (const each of tests.runners) {
        const steered = (files: AttackFiles): boolean => Object.keys(files).some((path) => steers(path));
        const hook = attacks.runnerHook(each);
        const configuration = attacks.runnerConfiguration(each);
        assert.ok(steered(attacks.interpreterStart(each)));
        assert.ok(hook === null || steered(hook));
        assert.ok(configuration === null || configuration.command || steered(configuration.files));
        const launch = { argv: ['runner'], env: { A: 'b' } };
        const opened = attacks.openStart(launch, []);
        assert.ok(opened.argv.includes('runner') && opened.env['A'] === 'b');
      }
    });
  });
}
