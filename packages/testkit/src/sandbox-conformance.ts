import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SandboxProvider } from '@assay/sandbox';
import { EXEC_REQUESTS, REQUESTS, type Capability } from './conformance/capabilities.ts';
import { withSandbox, type ConformanceCase } from './conformance/conformance-case.ts';
import { EXEC_CASES } from './conformance/exec-cases.ts';
import { EXPOSE_CASES } from './conformance/expose-cases.ts';
import { EXPOSE_END_CASES } from './conformance/expose-end-cases.ts';
import { FILES_CASES } from './conformance/files-cases.ts';
import { HOST_CASES } from './conformance/host-cases.ts';
import { LIFETIME_CASES } from './conformance/lifetime-cases.ts';
import { LIMITS_CASES } from './conformance/limits-cases.ts';
import { MOUNT_CASES } from './conformance/mount-cases.ts';
import { NEIGHBOUR_CASES } from './conformance/neighbour-cases.ts';
import { NETWORK_CASES } from './conformance/network-cases.ts';
import { PRIVILEGE_CASES } from './conformance/privilege-cases.ts';
import { ROOT_TREE_CASES } from './conformance/root-tree-cases.ts';
import { SHARED_KERNEL_CASES } from './conformance/shared-kernel-cases.ts';
import { USAGE_CASES } from './conformance/usage-cases.ts';

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
  'shared kernel': SHARED_KERNEL_CASES,
  expose: [...EXPOSE_CASES, ...EXPOSE_END_CASES],
  usage: USAGE_CASES,
  'root tree': ROOT_TREE_CASES,
};

/** Capabilities that every case of a group needs. */
const GROUP_NEEDS: Partial<Record<string, readonly Capability[]>> = {
  network: ['network', 'host-mounts'],
  host: ['isolation', 'seals'],
  mounts: ['host-mounts'],
  limits: ['limits'],
  privileges: ['isolation', 'seals'],
  neighbours: ['isolation', 'exec-isolation', 'host-mounts'],
  'shared kernel': ['isolation', 'exec-isolation', 'host-mounts', 'layers', 'host-toolchain'],
  expose: ['exposed-ports', 'host-mounts', 'exec-isolation'],
  usage: ['usage', 'host-mounts'],
  'root tree': ['root-tree'],
};

export interface ConformanceOptions {
  /**
   * Capabilities that this provider lacks, each with the reason. Cases that need one are left out; asking for it must
   * be refused.
   */
  lacks?: Partial<Record<Capability, string>>;
  /**
   * Cases that this provider is known to fail, by name, each with the reason. A case that has come to pass must be
   * taken off.
   */
  knownGaps?: Record<string, string>;
  /** Why the provider cannot be here, such as missing root. The suite is then skipped, saying so. */
  skip?: string | undefined;
}

/** Declares the tests that every sandbox provider passes. */
export function describeProviderConformance(
  name: string,
  makeProvider: () => SandboxProvider,
  options: ConformanceOptions = {},
): void {
  const { knownGaps = {}, lacks = {}, skip } = options;
  describe(`sandbox provider ${name}`, { skip: skip ?? false }, () => {
    const names = Object.values(GROUPS)
      .flat()
      .map((entry) => entry.name);
    test('every known gap names a case', () => {
      assert.deepEqual(
        Object.keys(knownGaps).filter((gap) => !names.includes(gap)),
        [],
      );
    });
    for (const [capability, reason] of entriesOf(lacks)) {
      const requests = REQUESTS[capability] ?? [];
      const execRequests = EXEC_REQUESTS[capability] ?? [];
      test(`lacks ${capability} (${reason})${requests.length + execRequests.length === 0 ? '' : ': asking for it is refused'}`, async () => {
        for (const request of requests)
          await assert.rejects(makeProvider().create(request), { code: 'BAD_OPTION' }, JSON.stringify(request));
        for (const request of execRequests) {
          await withSandbox(makeProvider(), {}, (sandbox) =>
            assert.rejects(sandbox.exec('true', request), { code: 'BAD_OPTION' }, JSON.stringify(request)),
          );
        }
      });
    }
    for (const [group, cases] of Object.entries(GROUPS)) {
      const possible = cases.filter(
        ({ needs = [] }) =>
          ![...needs, ...(GROUP_NEEDS[group] ?? [])].some((capability) => lacks[capability] !== undefined),
      );
      if (possible.length === 0) continue;
      describe(group, () => {
        for (const entry of possible) declareCase(entry, makeProvider, knownGaps[entry.name]);
      });
    }
  });
}

function declareCase(entry: ConformanceCase, makeProvider: () => SandboxProvider, gap: string | undefined): void {
  if (gap === undefined) {
    test(entry.name, () => entry.run(makeProvider()));
    return;
  }
  test(`${entry.name} (known gap: ${gap})`, () =>
    assert.rejects(entry.run(makeProvider()), 'the gap is closed: take it off the list'));
}

function entriesOf(lacks: Partial<Record<Capability, string>>): Array<[Capability, string]> {
  // Its type allows no other keys.
  return Object.entries(lacks) as Array<[Capability, string]>;
}
