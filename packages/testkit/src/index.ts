export { RepositoryBuilder, plainGitEnvironment, type CommitOptions, type FileContent } from './repository-builder.ts';
