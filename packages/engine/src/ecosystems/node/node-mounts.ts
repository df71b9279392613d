import type { Mount } from '@assay/sandbox';
import type { NodeInterpreter } from './find-node.ts';

export const NODE = '/opt/node/bin/node';
/** Directory below which `include/node` lies where something is compiled. */
export const HEADERS = '/opt/node-headers';
const WORKSPACE = '/workspace';

export function nodeMounts({ executable }: NodeInterpreter): Mount[] {
  return [{ kind: 'read-only', source: executable, target: NODE }];
}

/** Variables of a process that uses the environment. */
export const NODE_ENVIRONMENT: Record<string, string> = {
  PATH: `/opt/node/bin:${WORKSPACE}/node_modules/.bin:/usr/bin:/bin`,
  ASSAY_NODE: NODE,
};
