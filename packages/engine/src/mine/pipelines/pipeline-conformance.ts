import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { openChatModel, type ChatModel } from '@assay/lanes/models/chat-model';
import { AssayError, canonicalJson } from '@assay/protocol';
import type { ImportedRepository } from '../../git/import-repository.ts';
import { readCommit } from '../../git/repository.ts';
import type { Candidate } from '../candidate.ts';
import { pipelineFlags } from './pipeline-flags.ts';
import type { Collected, Found, Pipeline } from './pipeline.ts';

export interface PipelineCase {
  /** URL of the module that exports the pipeline. */
  module: string;
  /**
   * Returns a repository in which the pipeline finds at least two candidates that it can read. Called within a test.
   */
  repository: () => ImportedRepository;
  /** Options with which it finds them. */
  options: () => Record<string, unknown>;
  /** Address of a model for a pipeline that needs one; it gives the same answer to the same question. */
  endpoint?: () => string;
}

/** Declares the tests that every pipeline passes, including those written by others. */
export function describePipelineConformance(
  pipeline: Pipeline,
  { module, repository, options, endpoint }: PipelineCase,
): void {
  const model = (): ChatModel | null => (endpoint ? openChatModel({ endpoint: endpoint(), model: 'scripted' }) : null);
  const collect = async (): Promise<Collected> => (await pipeline.open(options()))({ repository: repository() });
  const findAll = async (): Promise<Found[]> => Array.fromAsync((await collect()).found);
  const readAll = async (): Promise<Candidate[]> =>
    Promise.all((await findAll()).map(({ data }) => pipeline.read(data, { repository: repository(), model: model() })));

  describe(`the pipeline ${pipeline.name}`, () => {
    test('has a name that fits a flag and a task, a version, and one line of words', () => {
      assert.match(pipeline.name, /^[a-z][a-z0-9_]*$/);
      for (const told of [pipeline.version, pipeline.summary, pipeline.statementSource]) assert.match(told, /^[^\n]+$/);
    });

    test('has options that can be flags', () => {
      for (const { flag, description } of pipelineFlags([pipeline])) {
        assert.match(flag, /^[a-z][a-z0-9-]*$/);
        assert.ok(description.endsWith(`(${pipeline.name})`));
      }
    });

    test('refuses an option that it does not have', async () => {
      await assert.rejects(
        async () => pipeline.open({ ...options(), noSuchOption: true }),
        (error) => AssayError.is(error) && error.code === 'BAD_OPTION' && /--no-such-option/.test(error.message),
      );
    });

    test('finds the same again, each with a label and data of its own', async () => {
      const first = await findAll();
      assert.ok(first.length >= 2);
      assert.deepEqual(await findAll(), first);
      assert.equal(new Set(first.map(({ label }) => label)).size, first.length);
      assert.equal(new Set(first.map(({ data }) => canonicalJson(data))).size, first.length);
    });

    test('finds data that survives JSON, and refuses other data', async () => {
      for (const { data } of await findAll()) assert.deepEqual(JSON.parse(JSON.stringify(data)), data);
      await assert.rejects(
        async () => pipeline.read(null, { repository: repository(), model: null }),
        (error) => AssayError.is(error) && error.code === 'ORDER_INVALID',
      );
    });

    test('reads the same from that JSON in another process, where it was not opened', async () => {
      const data = (await findAll()).map((found) => found.data);
      const reader = join(import.meta.dirname, 'read-found.fixture.ts');
      const child = spawn(process.execPath, [reader, module, pipeline.name], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.end(JSON.stringify({ gitDirectory: repository().gitDirectory, data, endpoint: endpoint?.() }));
      const there = await text(child.stdout);
      const here = (await readAll()).map((candidate) => ({ ...candidate, ecosystem: candidate.ecosystem.id }));
      assert.deepEqual(JSON.parse(there), JSON.parse(JSON.stringify(here)));
    });

    test('tells what became of the rest, when it tells anything', async () => {
      const { notes } = await collect();
      const told = notes?.();
      if (told) assert.match(told.text, /^[^\n]+$/);
    });

    test('gives candidates that stand on a commit and hold a solution', async () => {
      for (const candidate of await readAll()) {
        const { time } = await readCommit(repository(), candidate.base);
        assert.equal(candidate.t0.getTime(), time.getTime());
        assert.notEqual(candidate.message.trim(), '');
        assert.ok(candidate.reference.files.length + candidate.reference.deleted.length > 0);
        assert.match(candidate.referenceDiff, /^diff --git /);
      }
    });

    test('keeps solution, steering files and tests apart', async () => {
      for (const { reference, steering, hidden } of await readAll()) {
        const paths = [reference, steering, hidden].flatMap(({ files, deleted }) => [
          ...files.map(({ path }) => path),
          ...deleted,
        ]);
        assert.equal(new Set(paths).size, paths.length);
      }
    });

    test('stops when it is told to', async () => {
      const signal = AbortSignal.abort(new AssayError('INTERRUPTED'));
      await assert.rejects(async () => {
        const { found } = await (await pipeline.open(options(), signal))({ repository: repository(), signal });
        for await (const each of found)
          await pipeline.read(each.data, { repository: repository(), model: model(), signal });
      });
    });
  });
}
