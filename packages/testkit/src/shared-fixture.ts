import { prepareLayer } from '@assay/files';

/**
 * Builds a fixture once for all test files of one `./assay test`, or, for a test file that runs alone, once below `own`.
 * Nobody may change it: copy what a test writes to.
 */
export function sharedFixture(own: string, name: string, build: (directory: string) => Promise<void>): Promise<string> {
  return prepareLayer(process.env['ASSAY_TEST_SHARED'] ?? own, `fixture-${name}`, build);
}
