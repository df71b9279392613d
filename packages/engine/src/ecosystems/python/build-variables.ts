import { dirname } from 'node:path';
import { LANE_ORIGIN } from '../build-box.ts';
import type { PythonInterpreter } from './find-interpreters.ts';
import { pythonProgram } from './python-mounts.ts';

/** Path of uv in a build box. */
export const UV = '/opt/uv/uv';

/** Returns the variables that make uv and pip take everything from the lane. */
export function buildVariables({ minor }: PythonInterpreter): Record<string, string> {
  return {
    PATH: `${dirname(pythonProgram({ minor }))}:/usr/bin:/bin`,
    UV_DEFAULT_INDEX: `${LANE_ORIGIN}/simple/`,
    UV_NO_CONFIG: '1',
    UV_PYTHON_DOWNLOADS: 'never',
    UV_CACHE_DIR: '/tmp/uv-cache',
    UV_LINK_MODE: 'copy',
    UV_NO_PROGRESS: '1',
    PIP_INDEX_URL: `${LANE_ORIGIN}/simple/`,
    PIP_CONFIG_FILE: '/dev/null',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_NO_INPUT: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    SOURCE_DATE_EPOCH: '315532800',
  };
}
