/**
 * Compiles a seccomp profile to classic BPF, the form that bubblewrap takes through a descriptor.
 * Order: processor check (another one kills), rules that look at arguments, ranges of plainly allowed calls, default.
 * The x32 calls of x86_64 carry a high bit, are in no range, and so get the default.
 */
import type { SeccompArgument, SeccompProfile, SeccompRule } from './seccomp-profile.ts';
import { syscallNumbers } from './syscall-numbers.ts';
import type { FilterArch } from './syscall-numbers.ts';

const OP = { load: 0x20, jumpEqual: 0x15, jumpAbove: 0x25, jumpAtLeast: 0x35, and: 0x54, ret: 0x06 } as const;
const AUDIT_ARCH: Record<FilterArch, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const RET_ALLOW = 0x7fff0000;
const RET_ERRNO = 0x00050000;
const RET_KILL_PROCESS = 0x80000000;
const NUMBER_OFFSET = 0;
const ARCH_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;
const INSTRUCTIONS_MAX = 4096;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter's bytes, 8 an instruction. @throws {RangeError} if the kernel could not load it. */
export function compileSeccomp(profile: SeccompProfile, arch: FilterArch): Buffer {
  const numbers = syscallNumbers(arch);
  const conditional = profile.syscalls.filter(
    (rule) => (rule.args?.length ?? 0) > 0 || rule.action !== 'SCMP_ACT_ALLOW',
  );
  const plain = profile.syscalls.filter((rule) => !conditional.includes(rule));
  const allowed = plain.flatMap((rule) => rule.names).map((name) => numbers.get(name));
  const program: Instruction[] = [
    [OP.load, 0, 0, ARCH_OFFSET],
    [OP.jumpEqual, 1, 0, AUDIT_ARCH[arch]],
    [OP.ret, 0, 0, RET_KILL_PROCESS],
    ...conditional.flatMap((rule) => rule.names.flatMap((name) => conditionalBlock(numbers.get(name), rule))),
    [OP.load, 0, 0, NUMBER_OFFSET],
    ...toRanges(allowed.filter((number) => number !== undefined)).flatMap(rangeBlock),
    [OP.ret, 0, 0, RET_ERRNO | profile.defaultErrnoRet],
  ];
  if (program.length > INSTRUCTIONS_MAX) {
    throw new RangeError(
      `Cannot compile the seccomp profile: ${program.length} instructions, limit ${INSTRUCTIONS_MAX}`,
    );
  }
  return assemble(program);
}

/** Tests the call's number and every argument; any that differs jumps behind the block. */
function conditionalBlock(number: number | undefined, rule: SeccompRule): Instruction[] {
  if (number === undefined) return [];
  const tests = (rule.args ?? []).flatMap(argumentTests);
  const action = rule.action === 'SCMP_ACT_ALLOW' ? RET_ALLOW : RET_ERRNO | (rule.errnoRet ?? 1);
  const block: Instruction[] = [
    [OP.load, 0, 0, NUMBER_OFFSET],
    [OP.jumpEqual, 0, ESCAPE, number],
    ...tests,
    [OP.ret, 0, 0, action],
  ];
  return block.map(([code, ifTrue, ifFalse, value], at) => {
    return [code, ifTrue, ifFalse === ESCAPE ? block.length - 1 - at : ifFalse, value];
  });
}

/** Placeholder for "jump behind this block". */
const ESCAPE = -1;

/** The kernel gives each argument 64 bits; both halves are compared, low half first (little endian). */
function argumentTests(argument: SeccompArgument): Instruction[] {
  const masked = argument.op === 'SCMP_CMP_MASKED_EQ';
  const mask = masked ? BigInt(argument.value) : 0xffff_ffff_ffff_ffffn;
  const wanted = BigInt(masked ? (argument.valueTwo ?? 0) : argument.value);
  const offset = ARGUMENTS_OFFSET + 8 * argument.index;
  return [0, 1].flatMap((half): Instruction[] => {
    const halfMask = Number((mask >> BigInt(32 * half)) & 0xffff_ffffn);
    if (halfMask === 0) return [];
    return [
      [OP.load, 0, 0, offset + 4 * half],
      [OP.and, 0, 0, halfMask],
      [OP.jumpEqual, 0, ESCAPE, Number((wanted >> BigInt(32 * half)) & 0xffff_ffffn)],
    ];
  });
}

function toRanges(numbers: readonly number[]): (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function rangeBlock([first, last]: readonly [number, number]): Instruction[] {
  return [
    [OP.jumpAtLeast, 0, 2, first],
    [OP.jumpAbove, 1, 0, last],
    [OP.ret, 0, 0, RET_ALLOW],
  ];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], at) => {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  });
  return bytes;
}
