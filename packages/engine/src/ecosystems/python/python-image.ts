import type { ImageFacet } from '../image-facet.ts';

export const pythonImage: ImageFacet = {
  base(interpreter) {
    const [, series] = /^(\d+\.\d+)(?:\.|$)/.exec(interpreter) ?? [];
    return series === undefined ? null : `python:${series}-slim-bookworm`;
  },
  install: [
    'RUN python3 -m venv /opt/env \\',
    ' && if [ -s /tmp/environment/requirements.lock ]; then /opt/env/bin/pip install --no-index --no-deps --disable-pip-version-check --find-links /tmp/environment/wheels -r /tmp/environment/requirements.lock; fi',
  ],
  inWorkspace: false,
  variables: ['ENV VIRTUAL_ENV=/opt/env PATH=/opt/env/bin:$PATH'],
  grader: { file: new URL('grader/grade.py', import.meta.url), command: 'python3 -I /tests/grade.py' },
  runner: new URL('runner/', import.meta.url),
};
