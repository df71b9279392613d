import { WORKSPACE } from '@assay/engine/bundle/dockerfiles';
import type { Framework, PreparedFramework } from '../framework.ts';

/** The command with which an agent tries out what it wrote. */
export const START_APP = 'start-app';

/** It does with what is in the workspace what is done with a submission: place, build, start. */
export function startAppScript(
  { codeFile, startCommand }: Pick<Framework, 'codeFile' | 'startCommand'>,
  prepared: Pick<PreparedFramework, 'build' | 'startCommand'>,
): string {
  const place =
    codeFile === null
      ? `tar -C ${WORKSPACE} -cf - --exclude=./node_modules --exclude=./.git . | tar -C /app -xf -`
      : `cp -- ${quoted(`${WORKSPACE}/${codeFile}`)} /app/`;
  return [
    '#!/bin/sh',
    `# Puts what is in ${WORKSPACE} into /app, builds it, and starts it there.`,
    'set -e',
    place,
    'cd /app',
    ...prepared.build.map(({ command, tolerant }) => `sh -c ${quoted(command)}${tolerant ? ' || true' : ''}`),
    `exec sh -c ${quoted(prepared.startCommand ?? startCommand)}`,
    '',
  ].join('\n');
}

/** As one word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
