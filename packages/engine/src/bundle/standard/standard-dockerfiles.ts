import type { Language } from '@assay/protocol';
import { WORKSPACE } from '../dockerfiles.ts';

/** How Harbor grades a standard: by the files of a grader, placed in `tests/grader/`, or not at all. */
export type HarborGrading = { files: ReadonlyMap<string, Uint8Array> } | { impossible: string };

const NODE_IMAGE = 'node:24-bookworm-slim';
const IMAGES: Record<Language, string> = {
  javascript: NODE_IMAGE,
  typescript: NODE_IMAGE,
  python: 'python:3.11-slim-bookworm',
  go: 'golang:1.22-bookworm',
  rust: 'rust:1.79-slim-bookworm',
};

/**
 * Dockerfile of the agent's image: an empty directory and the answer's language. Its build context is `environment/`.
 */
export function standardEnvironmentDockerfile(language: Language | undefined): string {
  return [
    `FROM ${imageOf(language)}`,
    'COPY repo.tar.gz /tmp/environment/',
    `RUN mkdir -p ${WORKSPACE} && tar -xzf /tmp/environment/repo.tar.gz -C ${WORKSPACE} --no-same-owner` +
      ' && rm -rf /tmp/environment',
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/**
 * Dockerfile of the verifier's image: the answer's language, and Node for the grader. Its build context is `tests/`.
 * Only root can read the grader; the submission runs as a user who can write to its own directory and nothing else.
 */
export function standardVerifierDockerfile(language: Language | undefined): string {
  const image = imageOf(language);
  return [
    `FROM ${image}`,
    ...(image === NODE_IMAGE ? [] : [`COPY --from=${NODE_IMAGE} /usr/local/bin/node /usr/local/bin/node`]),
    "RUN echo 'sandbox:x:10001:10001::/home/sandbox:/bin/sh' >> /etc/passwd && echo 'sandbox:x:10001:' >> /etc/group",
    'COPY . /tests/',
    'RUN chmod -R go-rwx /tests && chmod 700 /tests/test.sh',
    `WORKDIR ${WORKSPACE}`,
    '',
  ].join('\n');
}

/** Writes `tests/test.sh`. Where Harbor cannot grade, it leaves no reward: an error is not a score. */
export function standardTestScript(grading: HarborGrading): string {
  if ('impossible' in grading) {
    return [
      '#!/bin/sh',
      'rm -f /logs/verifier/reward.json /logs/verifier/reward.txt',
      `echo 'No reward: ${grading.impossible}' >&2`,
      'exit 1',
      '',
    ].join('\n');
  }
  return [
    '#!/bin/sh',
    'set -eu',
    'chmod 700 /logs/verifier',
    'printf \'{"reward": 0}\\n\' > /logs/verifier/reward.json',
    '/usr/local/bin/node /tests/grader/grade.mjs',
    // Nothing of the submission is alive by now. The process that collects the logs may not be root.
    'chmod 755 /logs/verifier',
    '',
  ].join('\n');
}

const imageOf = (language: Language | undefined): string => (language === undefined ? NODE_IMAGE : IMAGES[language]);
