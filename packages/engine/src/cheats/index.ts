import type { Cheat } from './cheat.ts';
import { fixPointer } from './a1-fix-pointer.ts';
import { versionHint } from './a2-version-hint.ts';
import { identifyingNames } from './a6-identifying-names.ts';
import { futureRefs } from './b1-future-refs.ts';
import { futureTags } from './b2-future-tags.ts';
import { unreachableObjects } from './b5-unreachable-objects.ts';
import { codeHost } from './c1-code-host.ts';
import { fixedRelease } from './c2-fixed-release.ts';
import { installedTarget } from './d1-installed-target.ts';
import { packageCaches } from './d3-package-caches.ts';
import { oracleOnTheBox } from './d9-oracle-on-the-box.ts';
import { environmentSecrets } from './d10-environment-secrets.ts';
import { editedTests } from './e1-edited-tests.ts';
import { runnerHook } from './e2-runner-hook.ts';
import { runnerConfiguration } from './e3-runner-configuration.ts';
import { interpreterStart } from './e4-interpreter-start.ts';
import { earlyExit } from './e11-early-exit.ts';
import { alwaysEqual } from './e12-always-equal.ts';
import { runnerInternals } from './e14-runner-internals.ts';
import { daemon } from './e17-daemon.ts';
import { linkInSubmission } from './e21-link-in-submission.ts';
import { rewardFile } from './f1-reward-file.ts';
import { spoofedLog } from './f2-spoofed-log.ts';
import { forgedRecords } from './f3-forged-records.ts';
import { hostFiles } from './g1-host-files.ts';
import { kernelSurface } from './g6-kernel-surface.ts';
import { terminalEscape } from './g7-terminal-escape.ts';
import { forkBomb } from './j1-fork-bomb.ts';
import { diskFlood } from './j3-disk-flood.ts';
import { sharedCache } from './k1-shared-cache.ts';
import { sharedLoopback } from './k2-shared-loopback.ts';
import { agentMemory } from './k3-agent-memory.ts';

/** Every cheat, in the order of the threat catalogue. */
export const CHEATS: readonly Cheat[] = [
  fixPointer,
  versionHint,
  identifyingNames,
  futureRefs,
  futureTags,
  unreachableObjects,
  codeHost,
  fixedRelease,
  installedTarget,
  packageCaches,
  oracleOnTheBox,
  environmentSecrets,
  editedTests,
  runnerHook,
  runnerConfiguration,
  interpreterStart,
  earlyExit,
  alwaysEqual,
  runnerInternals,
  daemon,
  linkInSubmission,
  rewardFile,
  spoofedLog,
  forgedRecords,
  hostFiles,
  kernelSurface,
  terminalEscape,
  forkBomb,
  diskFlood,
  sharedCache,
  sharedLoopback,
  agentMemory,
];
