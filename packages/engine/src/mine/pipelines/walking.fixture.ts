import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryBuilder } from '@assay/testkit';
import { importRepository, type ImportedRepository } from '../../git/import-repository.ts';
import type { Candidate } from '../candidate.ts';
import type { Found, Pipeline } from './pipeline.ts';
import { commitRuntime } from './commit-runtime/pipeline.ts';

/** Code and tests of a part of a JavaScript project. */
export const both = (name: string, value: number): Record<string, string> => ({
  [`lib/${name}.js`]: `exports.${name} = ${value};\n`,
  [`test/${name}.test.js`]: `// ${name} ${value}\n`,
});

export interface Walked {
  /** What names each candidate. */
  found: Omit<Found, 'label' | 'data'>[];
  labels: string[];
  text: string;
  leftOut: string[];
  repository: ImportedRepository;
  read: (index: number) => Promise<Candidate>;
}

/** A directory for small repositories, and walks through their histories. */
export class WalkFixture {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async make(): Promise<WalkFixture> {
    return new WalkFixture(await mkdtemp(join(tmpdir(), 'assay-walk-')));
  }

  dispose(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }

  /** A repository with two parts and their tests. */
  async start(name: string): Promise<RepositoryBuilder> {
    const builder = await RepositoryBuilder.create(join(this.directory, name));
    await builder.commit('First', { 'package.json': '{"name":"ink"}', ...both('pen', 1), ...both('ink', 1) });
    return builder;
  }

  /** Commits on a new branch of HEAD, and returns to `main`. */
  async onBranch(
    builder: RepositoryBuilder,
    name: string,
    commits: readonly (readonly [string, Record<string, string>])[],
  ): Promise<string[]> {
    await builder.git('checkout', '--quiet', '-b', name);
    const made: string[] = [];
    for (const [message, files] of commits) made.push(await builder.commit(message, files));
    await builder.checkout('main');
    return made;
  }

  /** By `commit_runtime`, unless another pipeline is given. */
  async walk(
    builder: RepositoryBuilder,
    look: (walked: Walked) => Promise<void> | void,
    { pipeline = commitRuntime, options = {} }: { pipeline?: Pipeline; options?: Record<string, unknown> } = {},
  ): Promise<void> {
    const repository = await importRepository(builder.directory, join(this.directory, 'cache'));
    try {
      const { found, notes } = await (await pipeline.open(options))({ repository });
      const all = await Array.fromAsync(found);
      const told = notes?.();
      await look({
        found: all.map(({ label: _label, data: _data, ...names }) => names),
        labels: all.map(({ label }) => label),
        text: told?.text ?? '',
        leftOut: told?.leftOut ?? [],
        repository,
        read: (index) => pipeline.read(all[index]?.data, { repository, model: null }),
      });
    } finally {
      await repository.dispose();
    }
  }
}
