export { RepositoryBuilder, plainGitEnvironment, type CommitOptions, type FileContent } from './repository-builder.ts';
export { describeProviderConformance, type ConformanceOptions } from './sandbox-conformance.ts';
