import { styleText } from 'node:util';
import { harmlessLine } from './sanitise.ts';

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/** How to write for one output stream. */
export interface Terminal {
  /** Width in columns, as it is now; 80 where nobody says. */
  readonly columns: number;
  /** Whether lines can be drawn over. */
  live: boolean;
  /** Colours a text of ours, where colours are wanted. */
  style: (style: Style | Style[], text: string) => string;
  /** Makes text that we did not write safe to show on one line. */
  foreign: (text: string) => string;
}

export interface TerminalStream {
  isTTY?: boolean;
  columns?: number;
}

/**
 * Colours: on a TTY, unless `NO_COLOR` is set to anything or `TERM` is `dumb`; `FORCE_COLOR` other than 0 wants them
 * anywhere. `unsealed` takes the seal `terminal` off.
 */
export function describeTerminal(stream: TerminalStream, environment: NodeJS.ProcessEnv, unsealed = false): Terminal {
  const isTTY = stream.isTTY === true;
  const dumb = environment['TERM'] === 'dumb';
  const colour = wantsColour(isTTY && !dumb, environment);
  return {
    get columns() {
      return isTTY && stream.columns ? stream.columns : 80;
    },
    live: isTTY && !dumb && !environment['CI'],
    style: (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text),
    foreign: unsealed ? (text) => text : harmlessLine,
  };
}

function wantsColour(fitting: boolean, environment: NodeJS.ProcessEnv): boolean {
  if (environment['NO_COLOR']) return false;
  const forced = environment['FORCE_COLOR'];
  return forced === undefined ? fitting : forced !== '0' && forced !== 'false';
}
