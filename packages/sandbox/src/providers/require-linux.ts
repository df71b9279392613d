import { AssayError } from '@assay/protocol/errors';

/**
 * Throws `PROVIDER_UNAVAILABLE` on other systems. They have the providers that need no processes: `quickjs`, `node-vm`
 * and `sandbank`.
 */
export function requireLinux(name: string): void {
  if (process.platform === 'linux') return;
  throw new AssayError('PROVIDER_UNAVAILABLE', {
    name,
    detail: 'it needs Linux',
    hint: 'For JavaScript take quickjs.',
  });
}
