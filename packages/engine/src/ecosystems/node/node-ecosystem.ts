import type { Ecosystem } from '../ecosystem.ts';
import { buildNodeEnvironment } from './build-node-environment.ts';
import { classifyNodePath } from './classify-node-path.ts';
import { nodeCommandThatBuilds } from './command-that-builds.ts';
import { nodeVersions } from './find-node.ts';
import { nodeFunctions } from './functions/node-functions.ts';
import { nodeMutate } from './mutate/node-mutate.ts';
import { nodeCompare } from './node-compare.ts';
import { nodeProjectNames } from './node-project-names.ts';
import { nodeAttacks } from './node-attacks.ts';
import { nodeBait } from './node-bait.ts';
import { nodeImage } from './node-image.ts';
import { nodePackages } from './node-packages.ts';
import { nodeSource } from './node-source.ts';
import { nodeSplit } from './node-split.ts';
import { NODE_STEERING } from './node-steering.ts';
import { commandsOfOtherVariables, nodeTestCommand } from './node-test-command.ts';
import { nodeTests } from './node-tests.ts';
import { foreignNodeRunner } from './read-scripts.ts';
import { restoreNodeEnvironment } from './restore-node-environment.ts';
import { launchNode } from './runner/launch-node.ts';

/** Repositories whose tests node:test, vitest, jest, mocha, ava, tape, tap or jasmine run. */
export const nodeEcosystem: Ecosystem = {
  id: 'node',
  codeFiles: /\.[cm]?[jt]sx?$/,
  tools: [{ name: 'npm', neededFor: 'JavaScript repositories', debianPackage: 'npm' }],
  classify: classifyNodePath,
  steering: NODE_STEERING,
  source: nodeSource,
  tests: nodeTests,
  packages: nodePackages,
  image: nodeImage,
  bait: nodeBait,
  attacks: nodeAttacks,
  mutate: nodeMutate,
  functions: nodeFunctions,
  split: nodeSplit,
  compare: nodeCompare,
  projectNames: nodeProjectNames,
  interpreters: nodeVersions,
  testCommand: nodeTestCommand,
  foreignRunner: foreignNodeRunner,
  commandThatBuilds: nodeCommandThatBuilds,
  otherCommands: commandsOfOtherVariables,
  buildEnvironment: buildNodeEnvironment,
  restoreEnvironment: restoreNodeEnvironment,
  launch: launchNode,
};
