import type { Shape } from '../watch-fetch.ts';

/** What this wire's SDK reads: an error as it came, and of a reply only events that have a name. */
export const shape: Shape = { error: (text) => text, whole: asEvent };

function asEvent(text: string): string {
  return `event: message\ndata: ${text.trim().replace(/\s*\n\s*/g, ' ')}\n\n`;
}
