import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { cacheDirectory } from '@assay/files/store/paths';
import { bubblewrapProvider } from '@assay/sandbox';
import type { PreparedFramework } from '../../../framework.ts';
import { NeverStarted, startApp, type StartedApp } from '../../../grade/start-app.ts';
import { sampleApp } from '../../../sample-app.ts';
import { buildSample, type BuiltSample } from '../../build-sample.ts';
import { rubyRails } from '../../ruby-rails/framework.ts';
import { DebianLock } from '../debian/debian-lock.ts';

const wanted =
  process.env['ASSAY_TEST_ALL'] !== undefined ||
  process.env['ASSAY_TEST_FRAMEWORK']?.split(',').includes('Ruby-Rails') === true;
const provider = bubblewrapProvider();
const calculator = sampleApp('frameworks/ruby-rails');
const { 'db/migrate/20250101000000_create_calculations.rb': _, ...unmigrated } = calculator;

const SCHEMA = `ActiveRecord::Schema[8.0].define(version: 2025_01_01_000000) do
  create_table "calculations", force: :cascade do |t|
    t.string "expression"
    t.string "result"
    t.datetime "created_at", null: false
    t.datetime "updated_at", null: false
  end
end`;
const EXPECTS = `class CalculatorController < ApplicationController
  def create
    note, terms = params.expect(:note, sum: [:left, :right])
    render json: { result: terms[:left] + terms[:right], note: note, terms: terms.keys, limit: Regexp.timeout }
  end
end`;

test('every package that is asked for is pinned', async () => {
  const { wanted: names, packages } = DebianLock.parse(
    JSON.parse(await readFile(join(import.meta.dirname, '../../ruby-rails/lock/debian-packages.json'), 'utf8')),
  );
  const pinned = new Set(packages.map((each) => each.name));
  assert.deepEqual(
    names.filter((each) => !pinned.has(each)),
    [],
  );
});

/** Its packages are fetched only where all frameworks are wanted. */
if (wanted)
  describe('the recipe of Rails', { timeout: 1_800_000 }, () => {
    let prepared: PreparedFramework;
    before(async () => {
      prepared = await rubyRails.prepare({ provider, cacheDirectory: cacheDirectory() });
    });

    async function withSample(
      files: Record<string, string>,
      use: (sample: BuiltSample) => Promise<void>,
    ): Promise<void> {
      const sample = await buildSample({ framework: rubyRails, prepared, files, provider });
      try {
        await use(sample);
      } finally {
        await sample.dispose();
      }
    }

    async function withApp({ image, build }: BuiltSample, use: (app: StartedApp) => Promise<void>): Promise<void> {
      assert.ok(image, build.log);
      const app = await startApp(image, {
        provider,
        profile: 'strict',
        startTimeoutMs: 60_000,
        lifeMs: 120_000,
        signal: AbortSignal.timeout(120_000),
      });
      try {
        await use(app);
      } finally {
        await app.stop();
      }
    }

    test('makes a database from its schema, where an answer has no migration', async () => {
      await withSample({ ...unmigrated, 'db/schema.rb': SCHEMA }, (sample) =>
        withApp(sample, async (app) => {
          assert.equal(
            (await app.http.post('/calculator', { json: { expression: '2 * (3 - 5)' } })).text(),
            '{"result":"-4"}',
          );
          assert.equal(await app.sql('SELECT result FROM calculations'), '-4');
        }),
      );
    });

    test('gives what answers name of Rails 8.0', async () => {
      await withSample(
        {
          ...calculator,
          'app/controllers/calculator_controller.rb': EXPECTS,
          'config/environments/development.rb': `${calculator['config/environments/development.rb']}\nRails.application.config.assets.quiet = true`,
        },
        (sample) =>
          withApp(sample, async ({ http }) => {
            const answer = await http.post('/calculator', {
              json: { note: 'n', sum: { left: 'a', right: 'b', other: 'c' } },
            });
            assert.deepEqual(answer.json(), { result: 'ab', note: 'n', terms: ['left', 'right'], limit: 1 });
            assert.equal((await http.post('/calculator', { json: { note: 'n', sum: 'ab' } })).status, 400);
            assert.equal((await http.post('/calculator', { json: { note: ['n'], sum: { left: 'a' } } })).status, 400);
          }),
      );
    });

    test('has gems and programs of its own, whatever the answer brings', async () => {
      const own = {
        Gemfile: 'gem "no-such-package"',
        'Gemfile.lock': 'GEM',
        'config/boot.rb': 'raise "not ours"',
        'bin/rails': 'exit 1',
      };
      await withSample({ ...calculator, ...own }, (sample) =>
        withApp(sample, async ({ http }) =>
          assert.equal((await http.post('/calculator', { json: { expression: '1 + 1' } })).status, 200),
        ),
      );
    });

    test('tells of a gem that is not there', async () => {
      await withSample({ ...calculator, 'config/initializers/tokens.rb': 'require "jwt"' }, async (sample) => {
        assert.match(sample.build.log, /cannot load such file -- jwt/);
        await assert.rejects(
          withApp(sample, async () => {}),
          (error) => error instanceof NeverStarted && /exit code 1 .*cannot load such file -- jwt/.test(error.message),
        );
      });
    });

    test('starts an answer whose migration fails, and the next has a database', async () => {
      const broken = {
        ...unmigrated,
        'db/migrate/20250101000000_create_calculations.rb':
          'class CreateCalculations < ActiveRecord::Migration[8.0]\n  def change = raise("no tables today")\nend',
      };
      await withSample(broken, async (sample) => {
        assert.match(sample.build.log, /no tables today/);
        await withApp(sample, async ({ http }) =>
          assert.equal((await http.post('/calculator', { json: { expression: '1 + 1' } })).status, 500),
        );
      });
      await withSample(calculator, (sample) =>
        withApp(sample, async ({ tables }) => assert.ok((await tables()).some(({ name }) => name === 'calculations'))),
      );
    });

    test('does not take an empty app for an answer', async () => {
      await withSample({ failed: 'I would rather not.' }, async ({ image, build }) => {
        assert.equal(image, null);
        assert.match(build.log, /the response held no code/);
      });
    });
  });
