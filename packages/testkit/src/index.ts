export { RepositoryBuilder, plainGitEnvironment, type CommitOptions, type FileContent } from './repository-builder.ts';
export { describeProviderConformance, type ConformanceOptions } from './sandbox-conformance.ts';
export { gullibleModel, type GullibleOptions } from './fake-model/gullible-model.ts';
export { startFakeModel } from '../../lanes/src/fake-model/start-fake-model.ts';
export {
  startFakeModelServer,
  useFakeModel,
  useFakeModelServer,
  type FakeModelRequest,
  type FakeModelServer,
  type FakeReply,
  type FakeResponder,
} from './fake-model-server.ts';
export { BAD_WORK, BATTERY_STANDARD, GOOD_WORK, JUDGE_BATTERY, type BatteryCase } from './judge-battery/battery.ts';
export { makeCache } from './make-cache.ts';
export { sharedFixture } from './shared-fixture.ts';
export { TEST_CERTIFICATE } from './test-certificate.ts';
export { PrivateDocker } from './docker/private-docker.ts';
export { describeSubmissionForms } from './submission-attacks/describe-submission-forms.ts';
export { NO_MODULES_FORMS, SUBMISSION_FORMS, type SubmissionForm } from './submission-attacks/submission-forms.ts';
export { describeProgramProvider } from './describe-program-provider.ts';
export {
  describeSubmissionAttacks,
  SUBMISSION_ATTACKS,
  type SubmissionAttackOptions,
} from './submission-attacks/describe-submission-attacks.ts';
export type { SubmissionAttack } from './submission-attacks/attack.ts';
export { describeNativeAttacks } from './submission-attacks/describe-native-attacks.ts';
