import {
  ARCHITECTURES,
  ENOSYS,
  NEWEST_SYSCALL,
  SECCOMP_RULES,
  type Architecture,
  type Condition,
  type SeccompRule,
} from './seccomp-rules.ts';

/** One instruction of classic BPF, `struct sock_filter`. */
interface Instruction {
  code: number;
  yes: number;
  no: number;
  value: number;
}

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_ABOVE = 0x25;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const FAIL = 0x0005_0000;

/** Offsets in `struct seccomp_data`. */
const SYSCALL = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
/** System calls of the x32 ABI have this bit. */
const X32 = 0x4000_0000;

/**
 * The filter as `bwrap --seccomp` takes it: an array of `struct sock_filter`, little-endian. `null` for an architecture
 * that we have no system call numbers for.
 */
export function compileFilter(architectureName: string = process.arch): Buffer | null {
  const architecture = ARCHITECTURES.find(({ name }) => name === architectureName);
  if (!architecture) return null;
  const program = [
    load(ARCHITECTURE),
    jump(JUMP_EQUAL, architecture.audit, 1, 0),
    end(KILL_PROCESS),
    load(SYSCALL),
    jump(JUMP_AT_LEAST, X32, 0, 1),
    end(KILL_PROCESS),
    jump(JUMP_ABOVE, NEWEST_SYSCALL, 0, 1),
    end(FAIL | ENOSYS),
    ...SECCOMP_RULES.flatMap((rule) => compileRule(rule, architecture)),
    end(ALLOW),
  ];
  return encode(program);
}

/** Starts and, when it does not apply, ends with the system call's number loaded. */
function compileRule(rule: SeccompRule, architecture: Architecture): Instruction[] {
  const number = rule[architecture.name];
  if (number === undefined) return [];
  const conditions = rule.conditions ?? [];
  const fail = end(FAIL | rule.errno);
  if (conditions.length === 0) return [jump(JUMP_EQUAL, number, 0, 1), fail];
  const tests = conditions.map(compileCondition);
  const length = tests.flat().length;
  let remaining = length;
  const body = tests.flatMap((test) => {
    remaining -= test.length;
    const last = test.at(-1);
    // A test that fails goes to the reload after the `fail`.
    const miss = remaining + 1;
    if (last) Object.assign(last, last.yes === MISS ? { yes: miss } : { no: miss });
    return test;
  });
  return [jump(JUMP_EQUAL, number, 0, length + 2), ...body, fail, load(SYSCALL)];
}

const MISS = -1;

/** Loads the low half of the argument, all that the kernel looks at, and falls through when the condition holds. */
function compileCondition(condition: Condition): Instruction[] {
  const start = [load(FIRST_ARGUMENT + 8 * condition.argument)];
  switch (condition.is) {
    case 'equal':
      return [...start, jump(JUMP_EQUAL, condition.value, 0, MISS)];
    case 'not-equal':
      return [...start, jump(JUMP_EQUAL, condition.value, MISS, 0)];
    case 'above':
      return [...start, jump(JUMP_ABOVE, condition.value, 0, MISS)];
    case 'masked-equal':
      return [
        ...start,
        { code: AND, yes: 0, no: 0, value: condition.mask ?? 0xffff_ffff },
        jump(JUMP_EQUAL, condition.value, 0, MISS),
      ];
  }
}

function load(offset: number): Instruction {
  return { code: LOAD, yes: 0, no: 0, value: offset };
}

function jump(code: number, value: number, yes: number, no: number): Instruction {
  return { code, yes, no, value };
}

function end(value: number): Instruction {
  return { code: RETURN, yes: 0, no: 0, value };
}

function encode(program: Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(({ code, yes, no, value }, index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
