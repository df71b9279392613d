import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../../../git/run-git.ts';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

const IDENTITY = ['-c', 'user.name=Upstream', '-c', 'user.email=upstream@localhost'];

/** A git directory that leaks are planted in. */
export class PlantedGit {
  readonly directory: string;
  #tree = '';

  constructor(directory: string) {
    this.directory = directory;
  }

  async run(args: string[], { stdin, env = {} }: { stdin?: string | Buffer; env?: Record<string, string> } = {}) {
    return (await runGit(this.directory, [...IDENTITY, ...args], { env, stdin })).toString('utf8').trim();
  }

  /** Writes the tree of the fix, hidden tests included. */
  async writeFixedTree({ reference, hidden }: Pick<OpenRepositoryTask, 'reference' | 'hidden'>): Promise<void> {
    const env = { GIT_INDEX_FILE: join(this.directory, 'index.planted') };
    await this.run(['read-tree', 'HEAD'], { env });
    for (const file of [...reference.files, ...hidden.files]) {
      const blob = await this.run(['hash-object', '-w', '--stdin'], { stdin: file.content });
      const mode = file.executable ? '100755' : '100644';
      await this.run(['update-index', '--add', '--cacheinfo', `${mode},${blob},${file.path}`], { env });
    }
    for (const path of [...reference.deleted, ...hidden.deleted])
      await this.run(['update-index', '--force-remove', path], { env });
    this.#tree = await this.run(['write-tree'], { env });
  }

  /** Makes a commit of the fix, each with an id of its own by its message; a child of HEAD, unless told otherwise. */
  commitFix(message: string, { tree = this.#tree, parent = 'HEAD', date }: CommitOptions = {}): Promise<string> {
    const env: Record<string, string> = date === undefined ? {} : { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return this.run(['commit-tree', tree, '-p', parent, '-m', message], { env });
  }

  /** Packs a commit of the fix with its tree, and returns the pack's path without its end. */
  async pack(commit: string): Promise<string> {
    const objects = await this.run(['rev-list', '--objects', commit, '--not', 'HEAD']);
    const ids = objects.split('\n').map((line) => line.split(' ')[0]);
    const name = await this.run(['pack-objects', '-q', join(this.directory, 'planted')], {
      stdin: `${ids.join('\n')}\n`,
    });
    const pack = join(this.directory, 'objects', 'pack', `pack-${name}`);
    for (const end of ['pack', 'idx']) await rename(join(this.directory, `planted-${name}.${end}`), `${pack}.${end}`);
    return pack;
  }
}

interface CommitOptions {
  tree?: string;
  parent?: string;
  date?: string;
}
