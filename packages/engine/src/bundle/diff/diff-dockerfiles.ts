import type { CompareFacet } from '../../ecosystems/compare-facet.ts';
import { WORKSPACE } from '../dockerfiles.ts';

const NODE_IMAGE = 'node:24-bookworm-slim';

/** Dockerfile of the agent's image: the repository at T0, and the language's interpreter. Nothing of it is installed. */
export function diffEnvironmentDockerfile({ image }: Pick<CompareFacet, 'image'>): string {
  return [
    `FROM ${image}`,
    'COPY repo.tar.gz /tmp/environment/',
    `RUN mkdir -p ${WORKSPACE} && tar -xzf /tmp/environment/repo.tar.gz -C ${WORKSPACE} --no-same-owner` +
      ' && rm -rf /tmp/environment',
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/**
 * Dockerfile of the verifier's image. Only root can read the reference and T0; what parses the submission runs as a user
 * who can read nothing else and write nowhere.
 */
export function diffVerifierDockerfile({ image }: Pick<CompareFacet, 'image'>): string {
  return [
    `FROM ${image}`,
    ...(image === NODE_IMAGE ? [] : [`COPY --from=${NODE_IMAGE} /usr/local/bin/node /usr/local/bin/node`]),
    "RUN echo 'sandbox:x:10001:10001::/home/sandbox:/bin/sh' >> /etc/passwd && echo 'sandbox:x:10001:' >> /etc/group",
    'COPY . /tests/',
    'RUN mkdir /tests/t0 && tar -xzf /tests/environment/repo.tar.gz -C /tests/t0 --no-same-owner' +
      ' && mv /tests/compare /opt/compare && chmod -R a+rX,go-w /opt/compare' +
      ' && chmod -R go-rwx /tests && chmod 700 /tests/test.sh',
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}
