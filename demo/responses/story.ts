import type { Script } from '#simulator/script.ts';

export const ANSWER =
  'A pawl is the tooth of a ratchet. The wheel turns, the tooth falls behind each of its teeth, and what has been won ' +
  'is kept: the load may pull as it likes, the wheel never slips back by more than the tooth that was not yet ' +
  'reached. So a winch holds its anchor, a clock its weight, and a railway its car on the steepest of slopes.';

const SCRIPT: Partial<Script> = { think_ms: 250, pace_ms: 60, piece_chars: 4, answer: ANSWER };

/** The input of the response, with the script of the model (docs/simulator.md). */
export const STORY = `What is a pawl? ${JSON.stringify({ sim: SCRIPT })}`;
