export { instructionLeaks, type InstructionTexts } from './instruction-leaks.ts';
export { candidateNeedles, MIN_NEEDLE_LENGTH, type LeakNeedle } from './needle.ts';
export {
  dropNeedlesIn,
  leakNeedles,
  scanForLeaks,
  scanRoots,
  type ScanOptions,
  type ScanRoot,
} from './scan-for-leaks.ts';
export type { ScanLimits } from './scan-context.ts';
export type { ScanReport, Unreadable } from './scan-report.ts';
export { scanToolchain, TOOLCHAIN_ROOTS, type ToolchainOptions } from './scan-toolchain.ts';
