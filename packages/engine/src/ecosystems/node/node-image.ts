import type { ImageFacet } from '../image-facet.ts';

const WORKSPACE = '/workspace';
const ARCHIVE = '/tmp/environment/node_modules.tar.gz';

export const nodeImage: ImageFacet = {
  base(interpreter) {
    const [, major] = /^(\d+)(?:\.\d+)*(?:-[\w.]+)?$/.exec(interpreter) ?? [];
    return major === undefined ? null : `node:${major}-bookworm-slim`;
  },
  install: [`RUN if [ -f ${ARCHIVE} ]; then tar -xzf ${ARCHIVE} -C ${WORKSPACE} --no-same-owner; fi`],
  inWorkspace: true,
  variables: [`ENV PATH=${WORKSPACE}/node_modules/.bin:$PATH`],
  grader: { file: new URL('grader/grade.mjs', import.meta.url), command: 'node /tests/grade.mjs' },
  runner: new URL('runner/', import.meta.url),
};
