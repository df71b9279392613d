import type { CaseRequest } from '../../run-tests/case-outcome.ts';
import type { SandboxProvider } from '../../contract.ts';
import type { ProcessLanguage, RunPlan } from '../language.ts';
import { explainGo } from './explain-go.ts';
import { goSource } from './go-source.ts';
import {
  goBuildArguments,
  goEnvironment,
  goModuleFiles,
  GO_BUILD_MEMORY_BYTES,
  hostGo,
  type GoToolchain,
} from './go-toolchain.ts';

const PROGRAM = '/workspace/program';
const ELSEWHERE = '/workspace/assay-go';

/** Go 1.21 or later, with its standard library, without cgo. */
export const goLanguage: ProcessLanguage = {
  async plan({ source, functionName, signature }: CaseRequest, provider: SandboxProvider): Promise<RunPlan> {
    const toolchain = provider.hostSystem ? await hostGo(provider) : imageGo();
    const { sandbox, program, directory } = toolchain;
    return {
      sandbox: { mounts: [], env: {} },
      build: {
        sandbox,
        memoryBytes: GO_BUILD_MEMORY_BYTES,
        program: PROGRAM,
        argv: goBuildArguments(program, directory, PROGRAM),
        files: {
          ...(provider.hostSystem ? {} : moduleAt(directory)),
          [`${directory}/module/submission/submission.go`]: goSource(source, functionName),
        },
        explain: (output) => explainGo(output, source, functionName),
      },
      argv: ['/bin/sh', '-c', 'chmod +x "$0" && exec "$0"', PROGRAM],
      greeting: { returns: signature?.returns ?? null },
      driverFirst: false,
      install: 'Go',
    };
  },
};

/** Returns the toolchain of an image, where nothing is compiled beforehand. */
function imageGo(): GoToolchain {
  return { program: 'go', directory: ELSEWHERE, sandbox: { mounts: [], env: goEnvironment(ELSEWHERE) } };
}

function moduleAt(directory: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(goModuleFiles()).map(([name, text]) => [`${directory}/module/${name}`, text]),
  );
}
