import type { Script } from '#simulator/script.ts';
import type { z } from 'zod';

/** A turn's input that scripts the simulated model. */
export function scripted(script: z.input<typeof Script>): string {
  return JSON.stringify({ sim: script });
}
