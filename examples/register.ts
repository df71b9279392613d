/**
 * The command line of Assay with an ecosystem, a pipeline, an agent and a provider of our own.
 *
 *     node register.ts mine ~/src/scripts --pipeline problem_file --file problems.json --out tasks --provider counting
 *     node register.ts run tasks --agent note-taker --provider counting
 */
import { readFile } from 'node:fs/promises';
import { candidateOfChange, definePipeline, registerAgent, registerEcosystem, registerPipeline } from '@assay/engine';
import { bubblewrapProvider, registerProvider } from '@assay/sandbox';
import { runCli } from '@assay/server';
import { z } from 'zod';
import { shell } from './shell-ecosystem.ts';

registerEcosystem(shell);

const Problem = z.object({ id: z.string(), text: z.string(), files: z.record(z.string(), z.string()) });

/** Problems from a file: each has the files, source and tests, that solve it on the repository's newest commit. */
registerPipeline(
  definePipeline({
    name: 'problem_file',
    version: '1',
    summary: 'problems from a JSON file',
    statementSource: 'text',
    options: { file: z.string().describe('the problems').meta({ value: 'FILE' }) },
    async open({ file }) {
      const problems = z.array(Problem).parse(JSON.parse(await readFile(file, 'utf8')));
      return async ({ repository }) => ({
        found: problems.map((problem) => ({ label: problem.id, data: { ...problem, base: repository.head } })),
      });
    },
    data: Problem.extend({ base: z.string() }),
    read: ({ base, files, text }, { repository }) =>
      candidateOfChange(repository, changeOf(base, files), { message: text }),
  }),
);

function changeOf(base: string, files: Record<string, string>) {
  const changed = Object.entries(files).map(([path, text]) => ({
    path,
    content: Buffer.from(text),
    executable: false,
  }));
  return { base, change: { files: changed, deleted: [] } };
}

/** Leaves the instruction as a file, which solves nothing. */
registerAgent({
  name: 'note-taker',
  run: async ({ sandbox, instruction, timeoutMs, signal }) => ({
    exec: await sandbox.exec('cat > NOTES.md', { stdin: instruction, timeout: timeoutMs, signal }),
  }),
});

/** Bubblewrap, with a count of its sandboxes. */
let sandboxes = 0;
const bubblewrap = bubblewrapProvider();
const { isolation, limits, interactive, hostSystem } = bubblewrap;
registerProvider({
  name: 'counting',
  isolation,
  limits,
  interactive,
  hostSystem,
  create(options) {
    sandboxes += 1;
    return bubblewrap.create(options);
  },
  destroy: (id) => bubblewrap.destroy(id),
});

process.on('exit', () => process.stderr.write(`${sandboxes} sandboxes\n`));
await runCli(process.argv.slice(2));
