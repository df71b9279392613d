import { ARCHITECTURES, SECCOMP_RULES, type Condition } from './seccomp-rules.ts';

const OPERATORS: Record<Condition['is'], string> = {
  equal: 'SCMP_CMP_EQ',
  'not-equal': 'SCMP_CMP_NE',
  above: 'SCMP_CMP_GT',
  'masked-equal': 'SCMP_CMP_MASKED_EQ',
};

/**
 * The same rules as the `linux.seccomp` object of an OCI configuration. OCI cannot say "every number above": that rule
 * is missing.
 */
export function ociSeccomp(architectureName: string = process.arch): object | null {
  const architecture = ARCHITECTURES.find(({ name }) => name === architectureName);
  if (!architecture) return null;
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: [architecture.oci],
    syscalls: SECCOMP_RULES.filter((rule) => rule[architecture.name] !== undefined).map(
      ({ name, errno, conditions }) => ({
        names: [name],
        action: 'SCMP_ACT_ERRNO',
        errnoRet: errno,
        args: conditions?.map(ociCondition),
      }),
    ),
  };
}

function ociCondition({ argument, is, value, mask }: Condition): object {
  const op = OPERATORS[is];
  return is === 'masked-equal' ? { index: argument, value: mask, valueTwo: value, op } : { index: argument, value, op };
}
