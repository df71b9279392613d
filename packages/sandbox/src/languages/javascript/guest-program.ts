import { makeCodec } from '../../values/make-codec.ts';
import { VALUE_LIMITS } from '../../values/tagged-value.ts';
import { makeGuest } from './make-guest.ts';
import { makeProgram } from './make-program.ts';
import { makeSurroundings } from './make-surroundings.ts';

const MOST_OUTPUT_CHARACTERS = 1024 * 1024;

export type GuestMethod = 'load' | 'call' | 'poll' | 'tick' | 'run' | 'finish';

/**
 * A program whose value is an object of functions that pass nothing but strings. For a case: `load`, `call`, `poll`
 * (the outcome, or the empty text as long as there is none). For a program: `run`, `finish`. For both: `tick` (runs a
 * timer; the empty text when there is none).
 */
export const GUEST_PROGRAM = `(() => {
const codec = (${makeCodec.toString()})();
const guest = (${makeGuest.toString()})(codec, ${JSON.stringify(VALUE_LIMITS)});
const surroundings = (${makeSurroundings.toString()})(${MOST_OUTPUT_CHARACTERS});
const program = (${makeProgram.toString()})(codec, surroundings);
const { stringify } = JSON;
let outcome = '';
const answer = (text) => { if (outcome === '') outcome = text; };
return {
  load: guest.load,
  call: (input) => guest.call(input, answer),
  poll: () => outcome,
  tick: () => {
    try {
      return surroundings.tick() ? 'ran' : '';
    } catch (error) {
      const { name, message } = codec.describe(error);
      answer(stringify({ failed: 'a timer threw ' + name + ': ' + message }));
      program.fail(error);
      return 'ran';
    }
  },
  run: program.run,
  finish: program.finish,
};
})()`;
