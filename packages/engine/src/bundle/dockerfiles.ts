import { AssayError, type EnvironmentSpec } from '@assay/protocol';

/**
 * Where the repository lies, for the agent and for the verifier alike, so that editable installs point right in both.
 */
export const WORKSPACE = '/workspace';

/** The image of the agent. Its build context is `environment/`; nothing in it is younger than T0. */
export function environmentDockerfile(spec: EnvironmentSpec): string {
  return [
    `FROM ${baseImage(spec)}`,
    'COPY . /tmp/environment/',
    `RUN mkdir -p ${WORKSPACE} && tar -xzf /tmp/environment/repo.tar.gz -C ${WORKSPACE} --no-same-owner`,
    ...installSteps(spec),
    'RUN rm -rf /tmp/environment',
    ...variables(spec),
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/**
 * The image of the verifier. Its build context is `tests/`. The workspace stays empty until grading. What grades is
 * readable by root alone; the tests run as a user who can read the environment and the runner, and write the workspace.
 */
export function verifierDockerfile(spec: EnvironmentSpec): string {
  return [
    `FROM ${baseImage(spec)}`,
    "RUN echo 'sandbox:x:10001:10001::/home/sandbox:/bin/sh' >> /etc/passwd && echo 'sandbox:x:10001:' >> /etc/group",
    'COPY environment/ /tmp/environment/',
    ...(spec.ecosystem === 'python' ? installSteps(spec) : []),
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
  const [major, minor] = interpreter.split('.');
  if (!major || !/^\d+$/.test(major) || (ecosystem === 'python' && !/^\d+$/.test(minor ?? ''))) {
    throw new AssayError('IMPOSSIBLE', { detail: `${ecosystem} ${interpreter} is no version` });
  }
  return ecosystem === 'python' ? `python:${major}.${minor}-slim-bookworm` : `node:${major}-bookworm-slim`;
}

/** Vendored files only: nothing is fetched, and nothing of the repository runs. */
function installSteps({ ecosystem }: EnvironmentSpec): string[] {
  if (ecosystem === 'node')
    return [
      `RUN if [ -f /tmp/environment/node_modules.tar.gz ]; then tar -xzf /tmp/environment/node_modules.tar.gz -C ${WORKSPACE} --no-same-owner; fi`,
    ];
  return [
    'RUN python3 -m venv /opt/env \\',
    ' && if [ -s /tmp/environment/requirements.lock ]; then /opt/env/bin/pip install --no-index --no-deps --disable-pip-version-check --find-links /tmp/environment/wheels -r /tmp/environment/requirements.lock; fi',
  ];
}

function variables({ ecosystem }: EnvironmentSpec): string[] {
  return ecosystem === 'python'
    ? ['ENV VIRTUAL_ENV=/opt/env PATH=/opt/env/bin:$PATH']
    : [`ENV PATH=${WORKSPACE}/node_modules/.bin:$PATH`];
}
