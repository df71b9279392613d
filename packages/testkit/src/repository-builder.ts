import { chmod, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';

const FIRST_COMMIT = Date.UTC(2020, 0, 1, 12);
const DAY = 24 * 60 * 60 * 1000;

/** Content; `null` removes the path; a link; or content with the executable bit. */
export type FileContent = string | Uint8Array | null | { link: string } | { executable: string | Uint8Array };

export interface CommitOptions {
  author?: { name: string; email: string };
  /** Date of author and committer. Default: a day after the previous commit. */
  date?: Date;
  /** `i18n.commitEncoding`; the message is then written in latin1. */
  encoding?: string;
  /** Leave out what `files` did not name (`commit` adds everything by default). */
  onlyStaged?: boolean;
}

/**
 * A real git repository for tests: same calls, same hashes. Steps run in the order in which they are called.
 *
 * ```ts
 * const repository = await RepositoryBuilder.create();
 * const fix = await repository.commit('Fix the sum', { 'sum.py': 'def sum(a, b): return a + b\n' });
 * await repository.dispose();
 * ```
 */
export class RepositoryBuilder {
  readonly directory: string;
  readonly #made: string | null;
  #clock = FIRST_COMMIT;

  private constructor(directory: string, made: string | null) {
    this.directory = directory;
    this.#made = made;
  }

  /** In a new temporary directory, or in one that is given. The branch is `main`. */
  static async create(directory?: string): Promise<RepositoryBuilder> {
    const made = directory === undefined ? await mkdtemp(join(tmpdir(), 'assay-repository-')) : null;
    const place = directory ?? join(made ?? '', 'project');
    await mkdir(place, { recursive: true });
    const builder = new RepositoryBuilder(place, made);
    await builder.git('init', '--quiet', '--template=', '--initial-branch=main');
    return builder;
  }

  get gitDirectory(): string {
    return join(this.directory, '.git');
  }

  /** Changes files of the work tree without a commit. */
  async write(files: Record<string, FileContent>): Promise<this> {
    for (const [path, content] of Object.entries(files)) await this.#writeOne(join(this.directory, path), content);
    return this;
  }

  /** Writes files and commits everything. Gives the commit's name. */
  async commit(message: string, files: Record<string, FileContent> = {}, options: CommitOptions = {}): Promise<string> {
    await this.write(files);
    if (options.onlyStaged !== true) await this.git('add', '--all', '--force');
    const encoding = options.encoding === undefined ? [] : ['-c', `i18n.commitEncoding=${options.encoding}`];
    const stdin = Buffer.from(message, options.encoding === undefined ? 'utf8' : 'latin1');
    await this.#run(
      [
        ...encoding,
        'commit',
        '--quiet',
        '--allow-empty',
        '--allow-empty-message',
        '--no-verify',
        '--cleanup=verbatim',
        '-F',
        '-',
      ],
      stdin,
      this.#identity(options),
    );
    return this.resolve('HEAD');
  }

  async branch(name: string, start = 'HEAD'): Promise<this> {
    await this.git('branch', '--force', name, start);
    return this;
  }

  async checkout(name: string): Promise<this> {
    await this.git('checkout', '--quiet', name);
    return this;
  }

  /** Merges a branch with a merge commit, always. Gives its name. */
  async merge(name: string, message = `Merge ${name}`, options: CommitOptions = {}): Promise<string> {
    await this.#run(['merge', '--quiet', '--no-ff', '-m', message, name], '', this.#identity(options));
    return this.resolve('HEAD');
  }

  /** An annotated tag when there is a message, else a light one. */
  async tag(name: string, options: { target?: string; message?: string; date?: Date } = {}): Promise<this> {
    const annotated = options.message === undefined ? [] : ['-a', '-m', options.message];
    await this.#run(['tag', ...annotated, name, options.target ?? 'HEAD'], '', this.#identity({ date: options.date }));
    return this;
  }

  async resolve(revision: string): Promise<string> {
    return this.git('rev-parse', '--verify', revision);
  }

  /**
   * Plain git in the work tree, as a user's shell would run it, but with no user configuration. Rejects when it fails.
   */
  async git(...args: string[]): Promise<string> {
    return this.#run(args, '', this.#identity({}, false));
  }

  async dispose(): Promise<void> {
    await rm(this.#made ?? this.directory, { recursive: true, force: true });
  }

  async #writeOne(target: string, content: FileContent): Promise<void> {
    const old = await lstat(target).catch(() => null);
    if (old) await rm(target, { recursive: true });
    if (content === null) return;
    await mkdir(dirname(target), { recursive: true });
    if (typeof content === 'string' || content instanceof Uint8Array) await writeFile(target, content);
    else if ('link' in content) await symlink(content.link, target);
    else {
      await writeFile(target, content.executable);
      await chmod(target, 0o755);
    }
  }

  #identity(options: CommitOptions, tick = true): Record<string, string> {
    const { name, email } = options.author ?? { name: 'Upstream Author', email: 'author@example.org' };
    const date = `${Math.floor((options.date?.getTime() ?? this.#clock) / 1000)} +0000`;
    if (tick) this.#clock = (options.date?.getTime() ?? this.#clock) + DAY;
    return {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    };
  }

  async #run(args: string[], stdin: string | Uint8Array, identity: Record<string, string>): Promise<string> {
    const env = { ...plainGitEnvironment(), ...identity };
    const result = await runCommand(['git', ...args], { cwd: this.directory, env, stdin });
    if (result.exitCode !== 0)
      throw new AssayError('GIT_FAILED', { command: args.join(' '), detail: result.stderr.toString('utf8').trim() });
    return result.stdout.toString('utf8').trim();
  }
}

/** The environment of plain git that obeys a repository's configuration but no user's or system's. */
export function plainGitEnvironment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  };
}
