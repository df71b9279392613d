export { CWES, type CweNumber } from './cwe.ts';
export { FRAMEWORKS } from './frameworks/index.ts';
export { gradeRequest, type GradeRequest } from './grade/grade-answer.ts';
export { gradeWorker, type GradeWorker, type GradeWorkerOptions } from './eval/grade-worker.ts';
export { runEval, type EvalRequest } from './eval/run-eval.ts';
export { SCENARIOS } from './scenarios/index.ts';
export { makeScenarioTasks, type ScenarioTaskOptions } from './task/make-scenario-tasks.ts';
export { scenarioHost } from './task/scenario-host.ts';
