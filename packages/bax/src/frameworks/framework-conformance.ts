import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SandboxProvider } from '@assay/sandbox';
import type { Framework, PreparedFramework } from '../framework.ts';
import { ForkServers } from '../grade/fork-servers.ts';
import { NeverStarted, startApp, type StartedApp } from '../grade/start-app.ts';
import { sampleApp } from '../sample-app.ts';
import { buildSample, type BuiltSample } from './build-sample.ts';

export interface FrameworkConformanceOptions {
  framework: Framework;
  /**
   * Path in `packages/bax/apps` of an app that calculates, and notes what it calculated in a table `calculations` or
   * `myappcalculation`.
   */
  app: string;
  provider: SandboxProvider;
  cacheDirectory: string;
  /**
   * A change to the app that asks for a package which is in no layer. `answers`: its server comes up without the app,
   * and says this status to everything.
   */
  missing: { file: string; find: string; replace: string; answers?: number };
}

/** Tests that every framework must pass on a machine where it is available. */
export function frameworkConformance({
  framework,
  app,
  provider,
  cacheDirectory,
  missing,
}: FrameworkConformanceOptions): void {
  describe(`framework ${framework.id}`, { timeout: 1_800_000 }, () => {
    let prepared: PreparedFramework;
    let sample: BuiltSample;
    const files = sampleApp(app);
    let forkServers: ForkServers;
    const start = (built: BuiltSample, how: { forkServers?: ForkServers } = {}): Promise<StartedApp> => {
      assert.ok(built.image, built.build.log);
      return startApp(built.image, {
        provider,
        profile: 'strict',
        startTimeoutMs: 60_000,
        lifeMs: 120_000,
        signal: AbortSignal.timeout(120_000),
        ...how,
      });
    };
    const rows = async (app: StartedApp): Promise<number> =>
      (await app.tables())
        .filter(({ name }) => /calculation/.test(name))
        .reduce((sum, table) => sum + table.rows.length, 0);

    before(async () => {
      assert.equal(await framework.unavailable(), null);
      forkServers = new ForkServers(provider);
      prepared = await framework.prepare({ provider, cacheDirectory });
      sample = await buildSample({ framework, prepared, files, provider });
    });
    after(async () => {
      await sample?.dispose();
      await forkServers?.close();
    });

    test('says what it is', () => {
      assert.match(prepared.variant, /^[A-Z]\w+ \d+\.\d+/);
      assert.match(prepared.digest, /^[0-9a-f]{64}$/);
    });

    test('is prepared once', async () => {
      const again = await framework.prepare({
        provider,
        cacheDirectory,
        progress: (text) => assert.fail(`it was made anew: ${text}`),
      });
      assert.deepEqual(again, prepared);
    });

    test('builds an app that answers and keeps a database, afresh in every instance', async () => {
      for (const how of [{}, { forkServers }]) {
        const app = await start(sample, how);
        try {
          const answer = await app.http.post('/calculator', { json: { expression: '1 + 2*3' } });
          assert.equal(answer.status, 200, answer.text());
          assert.deepEqual(answer.json(), { result: '7' });
          assert.equal((await app.http.post('/calculator', { json: { expression: '1 *' } })).status, 400);
          assert.ok(await app.get('/app/db.sqlite3'), 'there is no /app/db.sqlite3');
          assert.equal(await rows(app), 1);
          assert.ok(await app.alive());
        } finally {
          await app.stop();
        }
      }
    });

    test('what its instances are to have imported is there', async () => {
      assert.ok(sample.image);
      const { copy } = await forkServers.copyFor(sample.image);
      assert.equal(copy !== undefined, framework.language === 'Python');
      assert.deepEqual(copy?.of.failures ?? {}, {});
    });

    test('tells of a package that is not there', async () => {
      const source = files[missing.file] ?? '';
      assert.ok(source.includes(missing.find));
      const broken = await buildSample({
        framework,
        prepared,
        provider,
        files: { ...files, [missing.file]: source.replace(missing.find, missing.replace) },
      });
      try {
        if (broken.build.log !== '') assert.match(broken.build.log, /no-such-package|no_such_package|NoSuchPackage/);
        if (missing.answers === undefined)
          return await assert.rejects(
            async () => await (await start(broken)).stop(),
            (error) => error instanceof NeverStarted || error instanceof assert.AssertionError,
          );
        const app = await start(broken);
        try {
          assert.equal((await app.http.post('/calculator', { json: { expression: '1' } })).status, missing.answers);
        } finally {
          await app.stop();
        }
      } finally {
        await broken.dispose();
      }
    });
  });
}
