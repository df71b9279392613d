import type { Command } from '../command.ts';
import { audit } from './audit.ts';
import { baxCheck } from './bax-check.ts';
import { baxEval } from './bax-eval.ts';
import { baxExport } from './bax-export.ts';
import { baxGrade } from './bax-grade.ts';
import { baxList } from './bax-list.ts';
import { baxPrompt } from './bax-prompt.ts';
import { baxSplit } from './bax-split.ts';
import { baxTask } from './bax-task.ts';
import { cheats } from './cheats.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { fakeModel } from './fake-model.ts';
import { gateway } from './gateway.ts';
import { grade } from './grade.ts';
import { judge } from './judge.ts';
import { keyNew } from './key-new.ts';
import { keyShow } from './key-show.ts';
import { mine } from './mine.ts';
import { mirror } from './mirror.ts';
import { receiptVerify } from './receipt-verify.ts';
import { run } from './run.ts';
import { show } from './show.ts';
import { standardAdd, standardNew, standardShow, standardValidate } from './standard.ts';
import { standardTask } from './standard-task.ts';
import { taskShow } from './task-show.ts';
import { taskSplit } from './task-split.ts';
import { test } from './test.ts';
import { validate } from './validate.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  demo,
  doctor,
  mine,
  validate,
  run,
  show,
  audit,
  grade,
  judge,
  standardNew,
  standardValidate,
  standardShow,
  standardAdd,
  standardTask,
  baxList,
  baxPrompt,
  baxGrade,
  baxCheck,
  baxEval,
  baxSplit,
  baxExport,
  baxTask,
  taskShow,
  taskSplit,
  cheats,
  receiptVerify,
  keyNew,
  keyShow,
  gateway,
  mirror,
  fakeModel,
  test,
];

/**
 * The purpose of each group of commands: one line of `assay --help`. A command whose name has two words belongs to the
 * group of its first.
 */
export const GROUPS: Readonly<Record<string, string>> = {
  standard: 'evaluation documents: write, check, show and store them',
  bax: 'backends for models to write: scenarios, prompts, grades, splits, tasks',
  task: 'repository tasks: show what they test, take their hidden tests apart',
  receipt: 'check signed records of verdicts',
  key: 'the key that signs receipts',
};
