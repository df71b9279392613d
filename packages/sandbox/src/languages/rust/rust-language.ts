import type { SandboxProvider } from '../../contract.ts';
import type { CaseRequest } from '../../run-tests/case-outcome.ts';
import type { ProcessLanguage, Refusal, RunPlan } from '../language.ts';
import { explainRust } from './explain-rust.ts';
import { findRustFunction } from './find-rust-function.ts';
import { RUST_MAIN, rustSource } from './rust-source.ts';
import {
  harnessArguments,
  harnessSource,
  hostRust,
  programArguments,
  RUST_BUILD_MEMORY_BYTES,
  type RustToolchain,
} from './rust-toolchain.ts';

const PROGRAM = '/workspace/program';
const LIBRARY = '/workspace/libassay.rlib';

/** Rust with its standard library, without cargo. */
export const rustLanguage: ProcessLanguage = {
  async plan({ source, functionName, signature }: CaseRequest, provider: SandboxProvider): Promise<RunPlan | Refusal> {
    const target = findRustFunction(source, functionName);
    if (!target) return { refused: `the submission defines no function ${functionName}` };
    const { sandbox, program, library } = provider.hostSystem ? await hostRust(provider) : imageRust();
    const compile = programArguments(program, 'main.rs', library, PROGRAM);
    return {
      sandbox: { mounts: [], env: {} },
      build: {
        sandbox,
        memoryBytes: RUST_BUILD_MEMORY_BYTES,
        program: PROGRAM,
        argv: provider.hostSystem ? compile : withHarness(program, compile),
        files: {
          ...(provider.hostSystem ? {} : { 'harness.rs': harnessSource() }),
          'main.rs': RUST_MAIN,
          'submission.rs': rustSource(source, target, signature?.parameters ?? []),
        },
        explain: (output) => explainRust(output, source),
      },
      argv: ['/bin/sh', '-c', 'chmod +x "$0" && exec "$0"', PROGRAM],
      greeting: {},
      driverFirst: false,
      install: 'Rust',
    };
  },
};

/** Returns the toolchain of an image, where the harness is compiled each time. */
function imageRust(): RustToolchain {
  return { program: 'rustc', library: LIBRARY, sandbox: { mounts: [], env: {} } };
}

function withHarness(program: string, compile: string[]): string[] {
  const quoted = (argv: string[]): string => argv.map((word) => `'${word}'`).join(' ');
  const harness = harnessArguments(program, 'harness.rs', LIBRARY);
  return ['/bin/sh', '-c', `command -v ${program} || exit 127; ${quoted(harness)} && exec ${quoted(compile)}`];
}
