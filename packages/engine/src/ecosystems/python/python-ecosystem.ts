import type { Ecosystem } from '../ecosystem.ts';
import { buildPythonEnvironment } from './build-python-environment.ts';
import { classifyPythonPath } from './classify-python-path.ts';
import { pythonVersions } from './find-interpreters.ts';
import { pythonFunctions } from './functions/python-functions.ts';
import { pythonMutate } from './mutate/python-mutate.ts';
import { pythonProjectNames } from './project-names.ts';
import { pythonAttacks } from './python-attacks.ts';
import { pythonBait } from './python-bait.ts';
import { pythonCompare } from './python-compare.ts';
import { pythonImage } from './python-image.ts';
import { pythonPackages } from './python-packages.ts';
import { pythonSource } from './python-source.ts';
import { pythonSplit } from './python-split.ts';
import { PYTHON_STEERING } from './python-steering.ts';
import { pythonTestCommand } from './python-test-command.ts';
import { pythonTests } from './python-tests.ts';
import { restorePythonEnvironment } from './restore-python-environment.ts';
import { launchPytest } from './runner/launch-pytest.ts';

/** Repositories whose tests pytest runs. */
export const pythonEcosystem: Ecosystem = {
  id: 'python',
  codeFiles: /\.pyi?$/,
  tools: [
    { name: 'python3', neededFor: 'Python repositories', debianPackage: 'python3' },
    { name: 'pip3', neededFor: 'Python repositories', debianPackage: 'python3-pip' },
  ],
  classify: classifyPythonPath,
  steering: PYTHON_STEERING,
  source: pythonSource,
  tests: pythonTests,
  packages: pythonPackages,
  image: pythonImage,
  bait: pythonBait,
  attacks: pythonAttacks,
  mutate: pythonMutate,
  functions: pythonFunctions,
  split: pythonSplit,
  compare: pythonCompare,
  projectNames: pythonProjectNames,
  interpreters: pythonVersions,
  testCommand: pythonTestCommand,
  buildEnvironment: buildPythonEnvironment,
  restoreEnvironment: restorePythonEnvironment,
  launch: launchPytest,
};
