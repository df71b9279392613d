import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SandboxProvider } from '@assay/sandbox';
import type { ConformanceCase } from './conformance/conformance-case.ts';
import { EXEC_CASES } from './conformance/exec-cases.ts';
import { FILES_CASES } from './conformance/files-cases.ts';
import { HOST_CASES } from './conformance/host-cases.ts';
import { LIFETIME_CASES } from './conformance/lifetime-cases.ts';
import { LIMITS_CASES } from './conformance/limits-cases.ts';
import { MOUNT_CASES } from './conformance/mount-cases.ts';
import { NEIGHBOUR_CASES } from './conformance/neighbour-cases.ts';
import { NETWORK_CASES } from './conformance/network-cases.ts';
import { PRIVILEGE_CASES } from './conformance/privilege-cases.ts';

const GROUPS: Record<string, ConformanceCase[]> = {
  files: FILES_CASES,
  exec: EXEC_CASES,
  lifetime: LIFETIME_CASES,
  network: NETWORK_CASES,
  host: HOST_CASES,
  mounts: MOUNT_CASES,
  limits: LIMITS_CASES,
  privileges: PRIVILEGE_CASES,
  neighbours: NEIGHBOUR_CASES,
};

export interface ConformanceOptions {
  /** Cases that this provider is known to fail, by name, each with the reason. A case that has come to pass must be taken off. */
  knownGaps?: Record<string, string>;
  /** Why the provider cannot be here, such as missing root. The suite is then skipped, saying so. */
  skip?: string | undefined;
}

/** Declares the tests that every sandbox provider passes. */
export function describeProviderConformance(name: string, makeProvider: () => SandboxProvider, options: ConformanceOptions = {}): void {
  const { knownGaps = {}, skip } = options;
  describe(`sandbox provider ${name}`, { skip: skip ?? false }, () => {
    const names = Object.values(GROUPS).flat().map((entry) => entry.name);
    test('every known gap names a case', () => {
      assert.deepEqual(Object.keys(knownGaps).filter((gap) => !names.includes(gap)), []);
    });
    for (const [group, cases] of Object.entries(GROUPS)) {
      describe(group, () => {
        for (const entry of cases) declareCase(entry, makeProvider, knownGaps[entry.name]);
      });
    }
  });
}

function declareCase(entry: ConformanceCase, makeProvider: () => SandboxProvider, gap: string | undefined): void {
  if (gap === undefined) {
    test(entry.name, () => entry.run(makeProvider()));
    return;
  }
  test(`${entry.name} (known gap: ${gap})`, () => assert.rejects(entry.run(makeProvider()), 'the gap is closed: take it off the list'));
}
