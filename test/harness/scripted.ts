import type { z } from 'zod';
import type { Script } from '#simulator/script.ts';

/** Returns a turn's input that scripts the simulated model. */
export function scripted(script: z.input<typeof Script>): string {
  return JSON.stringify({ sim: script });
}
