import { harmlessText, type SelfTestResult } from '@assay/protocol';
import { formatDuration } from './format-duration.ts';
import type { Terminal } from './terminal.ts';

/** Every failure in full; the last line is `N passed, N failed`. */
export function renderSelfTest(
  { passed, failed, skipped, failures, elapsedMs }: SelfTestResult,
  terminal: Terminal,
): string {
  const details = failures.map(({ name, detail }) => {
    const indented = harmlessText(detail)
      .split('\n')
      .map((line) => `  ${line}`.trimEnd());
    return `\n${terminal.style('red', 'failed')} ${terminal.foreign(name)}\n${indented.join('\n')}\n`;
  });
  const note = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${details.join('')}\n${formatDuration(elapsedMs)}${note}\n${passed} passed, ${failed} failed\n`;
}
