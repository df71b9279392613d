import type { Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';

export interface Ungraded {
  /** Name and version of the verifier, as in the verdict. */
  verifier: string;
  /** The provider that could not grade. */
  provider: SandboxProvider;
  submission: ChangeSet;
  /** Digests of the task and of what else the verdict is about. */
  digests: { task: string } & Record<string, string>;
  /** Why there is no answer. */
  note: string;
}

/** Returns the verdict for a submission that could not be graded. Nothing is known about it: neither 0 nor 1. */
export function invalidVerdict({ verifier, provider, submission, digests, note }: Ungraded): Verdict {
  return {
    outcome: 'invalid',
    reward: null,
    components: {},
    tests: [],
    trust: { level: 'in-process', reasons: ['grading did not come to an answer'] },
    isolation: provider.isolation ?? 'none',
    limits: provider.limits ?? 'partial',
    verifier,
    digests: { ...digests, submission: digestChange(submission) },
    note,
  };
}
