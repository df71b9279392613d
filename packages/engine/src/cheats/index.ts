import type { Cheat } from './cheat.ts';
import { fixPointer } from './a1-fix-pointer.ts';
import { versionHint } from './a2-version-hint.ts';
import { laterComments } from './a3-later-comments.ts';
import { quotedFix } from './a4-quoted-fix.ts';
import { searchKeys } from './a5-search-keys.ts';
import { identifyingNames } from './a6-identifying-names.ts';
import { disclosedTests } from './a9-disclosed-tests.ts';
import { futureRefs } from './b1-future-refs.ts';
import { futureTags } from './b2-future-tags.ts';
import { futureLogs } from './b3-future-logs.ts';
import { lostObjects } from './b4-lost-objects.ts';
import { unreachableObjects } from './b5-unreachable-objects.ts';
import { keptPacks } from './b6-kept-packs.ts';
import { alternates } from './b7-alternates.ts';
import { customRefs } from './b8-custom-refs.ts';
import { worktrees } from './b9-worktrees.ts';
import { backdatedCommits } from './b10-backdated-commits.ts';
import { ancestors } from './b11-ancestors.ts';
import { sideFiles } from './b12-side-files.ts';
import { liveRemote } from './b13-live-remote.ts';
import { newerCopy } from './b15-newer-copy.ts';
import { codeHost } from './c1-code-host.ts';
import { fixedRelease } from './c2-fixed-release.ts';
import { mirrors } from './c3-mirrors.ts';
import { renamedCopy } from './c4-renamed-copy.ts';
import { otherTransports } from './c15-other-transports.ts';
import { installedTarget } from './d1-installed-target.ts';
import { packageCaches } from './d3-package-caches.ts';
import { buildOutput } from './d4-build-output.ts';
import { vendoredCopy } from './d5-vendored-copy.ts';
import { leftReproducer } from './d6-left-reproducer.ts';
import { toolCaches } from './d7-tool-caches.ts';
import { systemCopy } from './d8-system-copy.ts';
import { oracleOnTheBox } from './d9-oracle-on-the-box.ts';
import { environmentSecrets } from './d10-environment-secrets.ts';
import { benchmarkData } from './d11-benchmark-data.ts';
import { editedTests } from './e1-edited-tests.ts';
import { runnerHook } from './e2-runner-hook.ts';
import { runnerConfiguration } from './e3-runner-configuration.ts';
import { interpreterStart } from './e4-interpreter-start.ts';
import { shadowedModule } from './e5-shadowed-module.ts';
import { compiledOnly } from './e6-compiled-only.ts';
import { patchedRunner } from './e7-patched-runner.ts';
import { loaderHook } from './e8-loader-hook.ts';
import { shadowedProgram } from './e9-shadowed-program.ts';
import { gitConfiguration } from './e10-git-configuration.ts';
import { earlyExit } from './e11-early-exit.ts';
import { alwaysEqual } from './e12-always-equal.ts';
import { runnerInternals } from './e14-runner-internals.ts';
import { readExpectations } from './e15-read-expectations.ts';
import { unwritableTests } from './e16-unwritable-tests.ts';
import { daemon } from './e17-daemon.ts';
import { silence } from './e20-silence.ts';
import { linkInSubmission } from './e21-link-in-submission.ts';
import { hiddenFromGit } from './e25-hidden-from-git.ts';
import { rewardFile } from './f1-reward-file.ts';
import { spoofedLog } from './f2-spoofed-log.ts';
import { forgedRecords } from './f3-forged-records.ts';
import { rewardDaemon } from './f5-reward-daemon.ts';
import { ambiguousReward } from './f6-ambiguous-reward.ts';
import { rewardLink } from './f7-reward-link.ts';
import { emptySuite } from './f8-empty-suite.ts';
import { hostFiles } from './g1-host-files.ts';
import { kernelSurface } from './g6-kernel-surface.ts';
import { terminalEscape } from './g7-terminal-escape.ts';
import { forkBomb } from './j1-fork-bomb.ts';
import { diskFlood } from './j3-disk-flood.ts';
import { fileFlood } from './j3-file-flood.ts';
import { outputFlood } from './j6-output-flood.ts';
import { sharedCache } from './k1-shared-cache.ts';
import { sharedLoopback } from './k2-shared-loopback.ts';
import { agentMemory } from './k3-agent-memory.ts';
import { dirtySnapshot } from './k4-dirty-snapshot.ts';
import { publishedTrajectories } from './k9-published-trajectories.ts';

/** Every cheat, in the order of the threat catalogue. */
export const CHEATS: readonly Cheat[] = [
  fixPointer,
  versionHint,
  laterComments,
  quotedFix,
  searchKeys,
  identifyingNames,
  disclosedTests,
  futureRefs,
  futureTags,
  futureLogs,
  lostObjects,
  unreachableObjects,
  keptPacks,
  alternates,
  customRefs,
  worktrees,
  backdatedCommits,
  ancestors,
  sideFiles,
  liveRemote,
  newerCopy,
  codeHost,
  fixedRelease,
  mirrors,
  renamedCopy,
  otherTransports,
  installedTarget,
  packageCaches,
  buildOutput,
  vendoredCopy,
  leftReproducer,
  toolCaches,
  systemCopy,
  oracleOnTheBox,
  environmentSecrets,
  benchmarkData,
  editedTests,
  runnerHook,
  runnerConfiguration,
  interpreterStart,
  shadowedModule,
  compiledOnly,
  patchedRunner,
  loaderHook,
  shadowedProgram,
  gitConfiguration,
  earlyExit,
  alwaysEqual,
  runnerInternals,
  readExpectations,
  unwritableTests,
  daemon,
  silence,
  linkInSubmission,
  hiddenFromGit,
  rewardFile,
  spoofedLog,
  forgedRecords,
  rewardDaemon,
  ambiguousReward,
  rewardLink,
  emptySuite,
  hostFiles,
  kernelSurface,
  terminalEscape,
  forkBomb,
  diskFlood,
  fileFlood,
  outputFlood,
  sharedCache,
  sharedLoopback,
  agentMemory,
  dirtySnapshot,
  publishedTrajectories,
];
