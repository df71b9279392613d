export { RepositoryBuilder, plainGitEnvironment, type CommitOptions, type FileContent } from './repository-builder.ts';
export { describeProviderConformance, type ConformanceOptions } from './sandbox-conformance.ts';
export { gullibleModel, type GullibleOptions } from './fake-model/gullible-model.ts';
export { startFakeModelServer, type FakeModelRequest, type FakeModelServer, type FakeReply, type FakeResponder } from './fake-model-server.ts';
