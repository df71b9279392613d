import type { AuditRule } from '../audit-rule.ts';
import { alwaysEqual } from './always-equal.ts';
import { canarySubmitted } from './canary-submitted.ts';
import { canaryTouched } from './canary-touched.ts';
import { clocks } from './clocks.ts';
import { daemons } from './daemons.ts';
import { earlyExit } from './early-exit.ts';
import { environmentHooks } from './environment-hooks.ts';
import { escapes } from './escapes.ts';
import { foreignFiles } from './foreign-files.ts';
import { forgedRecords } from './forged-records.ts';
import { frames } from './frames.ts';
import { gitDirectory } from './git-directory.ts';
import { hardCodedAnswers } from './hard-coded-answers.ts';
import { historyMining } from './history-mining.ts';
import { hostedTools } from './hosted-tools.ts';
import { installedPackages } from './installed-packages.ts';
import { interpreterHooks } from './interpreter-hooks.ts';
import { judgeAddress } from './judge-address.ts';
import { knowsItIsTested } from './knows-it-is-tested.ts';
import { network } from './network.ts';
import { oraclePaths } from './oracle-paths.ts';
import { packageCaches } from './package-caches.ts';
import { rewardFiles } from './reward-files.ts';
import { runnerConfiguration } from './runner-configuration.ts';
import { runnerInternals } from './runner-internals.ts';
import { skippedTests } from './skipped-tests.ts';
import { terminalEscapes } from './terminal-escapes.ts';
import { unservedWords } from './unserved-words.ts';
import { upstreamLookup } from './upstream-lookup.ts';

/** Every rule, the gravest first. */
export const AUDIT_RULES: readonly AuditRule[] = [
  canarySubmitted,
  rewardFiles,
  forgedRecords,
  interpreterHooks,
  runnerInternals,
  earlyExit,
  alwaysEqual,
  knowsItIsTested,
  clocks,
  escapes,
  judgeAddress,
  canaryTouched,
  oraclePaths,
  historyMining,
  upstreamLookup,
  packageCaches,
  foreignFiles,
  hostedTools,
  runnerConfiguration,
  skippedTests,
  frames,
  hardCodedAnswers,
  daemons,
  environmentHooks,
  installedPackages,
  gitDirectory,
  terminalEscapes,
  network,
  unservedWords,
];
