import { WORKSPACE } from '@assay/engine/bundle/dockerfiles';
import type { FrameworkPrompt } from '../framework.ts';
import type { Language } from '../profile.ts';
import type { Scenario } from '../scenario.ts';

/** Where the build finds what the bundle carries. */
const CARRIED = '/tmp/environment';

/** Puts the address of cargo's own index where the lock names none. */
const CARGO_FETCH = [
  `cp ${CARRIED}/lock/Cargo.lock /tmp/locked`,
  `mkdir -p ${CARRIED}/fetch/src && cd ${CARRIED}/fetch && cp ${WORKSPACE}/Cargo.toml . && echo 'fn main() {}' > src/main.rs && cargo generate-lockfile`,
  `INDEX=$(sed -n 's/^source = "\\(.*\\)"$/\\1/p' Cargo.lock | head -n 1) && sed "s#INDEX#$INDEX#" /tmp/locked > Cargo.lock && cargo fetch --locked`,
].join(' && ');

/**
 * The language's official image, and what installs the packages of the lock in it; null where nobody has pinned them
 * for such an image.
 */
const IMAGES: Record<Language, { image: string; install: string | null }> = {
  Python: {
    image: 'python:3.12-bookworm',
    install: `python3 -m pip install --no-cache-dir --no-deps --require-hashes -r ${CARRIED}/lock/requirements.lock`,
  },
  JavaScript: {
    image: 'node:24-bookworm',
    install: `cp ${CARRIED}/lock/package-lock.json ${WORKSPACE}/ && cd ${WORKSPACE} && npm ci && rm package-lock.json`,
  },
  Go: { image: 'golang:1.24-bookworm', install: `cd ${CARRIED}/lock && go mod download` },
  Rust: { image: 'rust:1.85-bookworm', install: CARGO_FETCH },
  PHP: { image: 'php:8.4-cli-bookworm', install: null },
  Ruby: { image: 'ruby:3.3-bookworm', install: null },
};

/** The image of the agent for Harbor, which has a network while it is built. Its build context is `environment/`. */
export function agentDockerfile(
  scenario: Pick<Scenario, 'packages'>,
  { language }: Pick<FrameworkPrompt, 'language'>,
): string {
  const { image, install } = IMAGES[language];
  const further = [...(scenario.packages.all ?? []), ...(scenario.packages[language] ?? [])];
  return [
    `FROM ${image}`,
    `COPY . ${CARRIED}/`,
    `RUN mkdir -p ${WORKSPACE} && tar -xzf ${CARRIED}/repo.tar.gz -C ${WORKSPACE} --no-same-owner`,
    ...(install === null ? ['# The packages of the manifest are not installed here.'] : [`RUN ${install}`]),
    ...(further.length === 0 ? [] : [`RUN ${['apt-get update', `cd ${WORKSPACE}`, ...further].join(' && ')}`]),
    `RUN rm -rf ${CARRIED}`,
    'ENV APP_SECRET=a-secret-to-try-it-out-with',
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/** The image of the verifier: it only says why there is no reward. */
export const VERIFIER_DOCKERFILE = [
  'FROM debian:bookworm-slim',
  'COPY . /tests/',
  'RUN chmod 755 /tests/test.sh',
  `WORKDIR ${WORKSPACE}`,
  '',
].join('\n');
