import { AssayError } from '@assay/protocol';
import type { BuildRequest, PreparedEnvironment } from '../ecosystem.ts';

export async function buildNodeEnvironment(_request: BuildRequest): Promise<PreparedEnvironment> {
  throw new AssayError('ENVIRONMENT_FAILED', { detail: 'not built yet' });
}
