import { AssayError } from '@assay/protocol';
import type { RestoreRequest, PreparedEnvironment } from '../ecosystem.ts';

export async function restorePythonEnvironment(_request: RestoreRequest): Promise<PreparedEnvironment> {
  throw new AssayError('ENVIRONMENT_FAILED', { detail: 'not built yet' });
}
