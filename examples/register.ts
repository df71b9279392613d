/**
 * Adds a pipeline, an agent and a provider from outside of Assay, and uses them by their names.
 *
 *     node register.ts ~/src/project problems.json out
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  candidateOfChange,
  definePipeline,
  mineRepository,
  registerAgent,
  registerPipeline,
  runJob,
} from '@assay/engine';
import { bubblewrapProvider, registerProvider } from '@assay/sandbox';
import { z } from 'zod';

const Problems = z.array(z.object({ id: z.string(), text: z.string(), files: z.record(z.string(), z.string()) }));

/** Problems from a file: each has the files, source and tests, that solve it on the repository's newest commit. */
registerPipeline(
  definePipeline({
    name: 'problem_file',
    version: '1',
    summary: 'problems from a JSON file',
    statementSource: 'text',
    discloses: false,
    options: { file: z.string().describe('the problems').meta({ value: 'FILE' }) },
    async open({ file }) {
      const problems = Problems.parse(JSON.parse(await readFile(file, 'utf8')));
      return async ({ repository }) => ({
        found: problems.map((problem) => ({
          label: problem.id,
          key: JSON.stringify(problem),
          read: () =>
            candidateOfChange(repository, changeOf(repository.head, problem.files), { message: problem.text }),
        })),
      });
    },
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

const [source = '.', file = 'problems.json', out = 'out'] = process.argv.slice(2);
const provider = 'counting';
const tasks = join(out, 'tasks');
const mined = await mineRepository({
  source,
  pipeline: 'problem_file',
  pipelineOptions: { file },
  out: tasks,
  provider,
});
const { summary } = await runJob({ path: tasks, agent: 'note-taker', out: join(out, 'job'), provider });
process.stdout.write(`${mined.admitted} of ${mined.candidates} problems became tasks; `);
process.stdout.write(`note-taker passes ${summary.passed} of ${summary.trials}, in ${sandboxes} sandboxes\n`);
