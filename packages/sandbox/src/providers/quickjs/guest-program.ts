import { makeGuest } from '../../languages/javascript/make-guest.ts';
import { makeSurroundings } from '../../languages/javascript/make-surroundings.ts';
import { makeCodec } from '../../values/make-codec.ts';
import { VALUE_LIMITS } from '../../values/tagged-value.ts';

const MOST_OUTPUT_CHARACTERS = 1024 * 1024;

/**
 * A program whose value is an object of four functions that pass nothing but strings: `load`, `call`, `poll` (the outcome, or the empty text
 * as long as there is none) and `tick` (runs a timer; the empty text when there is none).
 */
export const GUEST_PROGRAM = `(() => {
const codec = (${makeCodec.toString()})();
const guest = (${makeGuest.toString()})(codec, ${JSON.stringify(VALUE_LIMITS)});
const surroundings = (${makeSurroundings.toString()})(${MOST_OUTPUT_CHARACTERS});
let outcome = '';
return {
  load: guest.load,
  call: (input) => guest.call(input, (text) => { if (outcome === '') outcome = text; }),
  poll: () => outcome,
  tick: () => (surroundings.tick() ? 'ran' : ''),
};
})()`;
