import { AssayError, type EnvironmentSpec } from '@assay/protocol';
import { ecosystemOf } from '../ecosystems/index.ts';

/** Path of the repository in both images, so that editable installs work in each. */
export const WORKSPACE = '/workspace';

/**
 * Dockerfile of the agent's image, with `environment/` as its build context. Nothing in the image is younger than T0.
 */
export function environmentDockerfile(spec: EnvironmentSpec): string {
  const { install, variables } = ecosystemOf(spec.ecosystem).image;
  return [
    `FROM ${baseImage(spec)}`,
    'COPY . /tmp/environment/',
    `RUN mkdir -p ${WORKSPACE} && tar -xzf /tmp/environment/repo.tar.gz -C ${WORKSPACE} --no-same-owner`,
    ...install,
    'RUN rm -rf /tmp/environment',
    ...variables,
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/**
 * Dockerfile of the verifier's image, with `tests/` as its build context. The workspace stays empty until grading. Only
 * root can read the grader; what compares what stripped tests observed holds no secret; the tests run as a user who can read the environment and the runner and write to the
 * workspace.
 */
export function verifierDockerfile(spec: EnvironmentSpec, { isSplit }: { isSplit: boolean }): string {
  const { install, inWorkspace } = ecosystemOf(spec.ecosystem).image;
  return [
    `FROM ${baseImage(spec)}`,
    "RUN echo 'sandbox:x:10001:10001::/home/sandbox:/bin/sh' >> /etc/passwd && echo 'sandbox:x:10001:' >> /etc/group",
    'COPY environment/ /tmp/environment/',
    ...(inWorkspace ? [] : install),
    'COPY runner/ /opt/runner/',
    ...(isSplit ? ['COPY oracle/ /opt/oracle/'] : []),
    'COPY . /tests/',
    `RUN rm -rf /tmp/environment /tests/runner /tests/oracle && chmod -R a+rX,go-w /opt/runner${isSplit ? ' /opt/oracle' : ''}` +
      ' && chmod -R go-rwx /tests && chmod 700 /tests/test.sh',
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/**
 * `docker-compose.yaml` of both images: no network at all. Harbor's own `network_mode = "no-network"` needs a proxy in
 * a second container, whose image must be pulled and which answers DNS; without it, Harbor refuses the task.
 */
export const COMPOSE_FILE = [
  '# No network but loopback. Harbor merges this with its own definition of the service.',
  'services:',
  '  main:',
  '    network_mode: none',
  '',
].join('\n');

function baseImage({ ecosystem, interpreter }: EnvironmentSpec): string {
  const image = ecosystemOf(ecosystem).image.base(interpreter);
  if (image === null) throw new AssayError('IMPOSSIBLE', { detail: `${ecosystem} ${interpreter} is no version` });
  return image;
}
