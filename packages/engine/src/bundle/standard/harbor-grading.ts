import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { Language, Standard } from '@assay/protocol';
import type { HarborGrading } from './standard-dockerfiles.ts';

const GRADED: readonly Language[] = ['javascript', 'typescript', 'python'];

/**
 * Decides how Harbor grades a standard: test cases in JavaScript, TypeScript and Python, alone or composed. `language`
 * is that of the answer.
 */
export async function harborGrading(standard: Standard, language: Language | undefined): Promise<HarborGrading> {
  if (!hasOnlyTestCases(standard))
    return { impossible: 'a model, a person or a probe has to judge this. Grade it with `assay grade`.' };
  if (!language) return { impossible: 'its test cases are in several languages. Grade it with `assay grade`.' };
  if (!GRADED.includes(language))
    return { impossible: `its test cases are in ${language}, which Assay alone runs. Grade it with \`assay grade\`.` };
  return { files: await buildGrader() };
}

function hasOnlyTestCases(standard: Standard): boolean {
  return standard.type === 'composite'
    ? standard.children.every((child) => hasOnlyTestCases(child.standard))
    : standard.type === 'test_cases';
}

let built: Promise<ReadonlyMap<string, Uint8Array>> | undefined;

/**
 * Compiles the grader into programs that need only Node: our own comparer, drivers and rules in one file. The same
 * sources always give the same bytes.
 */
export function buildGrader(): Promise<ReadonlyMap<string, Uint8Array>> {
  built ??= build();
  built.catch(() => (built = undefined));
  return built;
}

async function build(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { build: compile } = await import('esbuild');
  const sandbox = dirname(fileURLToPath(import.meta.resolve('@assay/sandbox')));
  const common = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    write: false,
    metafile: true,
    charset: 'utf8',
    logLevel: 'silent',
    legalComments: 'none',
    // Paths in the output are relative to it, so it must be the same wherever Assay is installed.
    absWorkingDir: sandbox,
  } as const;
  // Without extensions: TypeScript in the workspace, JavaScript in an installed package.
  const grade = await compile({
    ...common,
    entryPoints: [fileURLToPath(new URL('grader/grade', import.meta.url))],
    format: 'esm',
    external: ['dockerode'],
    plugins: [withoutUnused],
  });
  const transform = await compile({
    ...common,
    entryPoints: [join(sandbox, 'languages/node/transform-worker')],
    format: 'cjs',
  });
  const inputs = [grade, transform].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return new Map<string, Uint8Array>([
    ['grade.mjs', onlyOutput(grade)],
    ['transform-worker.js', onlyOutput(transform)],
    ...(await readPrograms(join(sandbox, 'languages/python'))),
    ['THIRD-PARTY-LICENCES', Buffer.from(await licencesOf(sandbox, inputs))],
  ]);
}

/** Reads the Python driver, which the program loads as text from the same directory. */
async function readPrograms(directory: string): Promise<[string, Uint8Array][]> {
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.py')).sort();
  return Promise.all(
    names.map(async (name): Promise<[string, Uint8Array]> => [name, await readFile(join(directory, name))]),
  );
}

function onlyOutput({ outputFiles }: { outputFiles: { contents: Uint8Array }[] }): Uint8Array {
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/**
 * Go and Rust need compilers, which the verifier's image lacks; TypeScript is read in a thread with a file of its own.
 */
const withoutUnused: Plugin = {
  name: 'without-unused',
  setup(building) {
    building.onResolve({ filter: /\/(go|rust)-language\.[jt]s$|(^|\/)sucrase(\.js)?$/ }, ({ path }) => ({
      path,
      namespace: 'absent',
    }));
    building.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: 'export const goLanguage = undefined, rustLanguage = undefined, transform = undefined;',
    }));
  },
};

/** Collects the licences of the packages that were compiled in; `inputs` are paths relative to `directory`. */
async function licencesOf(directory: string, inputs: readonly string[]): Promise<string> {
  const paths = inputs.map((input) => join(directory, input));
  const packages = new Set(
    paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  );
  const texts = await Promise.all(
    [...packages]
      .filter((path) => !path.includes('/node_modules/@assay/'))
      .sort()
      .map(async (path) => {
        const name = (await readdir(path)).find((file) => /^licen[cs]e/i.test(file));
        const text = name ? await readFile(join(path, name), 'utf8') : 'without a licence file';
        return `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}\n\n${text}\n`;
      }),
  );
  return ['The programs in this directory hold code of these packages.\n', ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}
