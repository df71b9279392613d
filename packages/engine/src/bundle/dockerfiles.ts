import { AssayError, type EnvironmentSpec } from '@assay/protocol';
import { ecosystemOf } from '../ecosystems/index.ts';

/**
 * Where the repository lies, for the agent and for the verifier alike, so that editable installs point right in both.
 */
export const WORKSPACE = '/workspace';

/** The image of the agent. Its build context is `environment/`; nothing in it is younger than T0. */
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
 * The image of the verifier. Its build context is `tests/`. The workspace stays empty until grading. What grades is
 * readable by root alone; the tests run as a user who can read the environment and the runner, and write the workspace.
 */
export function verifierDockerfile(spec: EnvironmentSpec): string {
  const { install, inWorkspace } = ecosystemOf(spec.ecosystem).image;
  return [
    `FROM ${baseImage(spec)}`,
    "RUN echo 'sandbox:x:10001:10001::/home/sandbox:/bin/sh' >> /etc/passwd && echo 'sandbox:x:10001:' >> /etc/group",
    'COPY environment/ /tmp/environment/',
    ...(inWorkspace ? [] : install),
    'COPY runner/ /opt/runner/',
    'COPY . /tests/',
    'RUN rm -rf /tmp/environment /tests/runner && chmod -R a+rX,go-w /opt/runner && chmod -R go-rwx /tests && chmod 700 /tests/test.sh',
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/**
 * `docker-compose.yaml` of both images: no network at all. Harbor's own `network_mode = "no-network"` asks for a proxy
 * in a second container, whose image has to be pulled and which answers DNS; where it cannot be had, Harbor refuses the
 * task.
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
