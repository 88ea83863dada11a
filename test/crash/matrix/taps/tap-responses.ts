import { subscribe } from 'node:diagnostics_channel';
import type { Crossings } from './crossings.ts';

/** A request of undici, as its diagnostics channels report it. */
type Sent = { method: string; path: string };

const ABOUT = /\/responses\/[^/?]+(\/cancel)?(\?.*stream=true)?/;

/** Crosses before each request about a response at the model, and after the head of its answer. */
export function tapResponses({ cross }: Crossings): void {
  crossAt('undici:request:create', (name) => cross(`before ${name}`));
  crossAt('undici:request:headers', (name) => cross(`after ${name}`));
}

function crossAt(channel: string, cross: (name: string) => void): void {
  subscribe(channel, (message) => {
    const name = nameOf((message as { request: Sent }).request);
    if (name) cross(name);
  });
}

/** Returns the act of a request about a response, or null for other requests. */
function nameOf({ method, path }: Sent): string | null {
  const [isAbout, isCancel, isStream] = ABOUT.exec(path) ?? [];
  if (!isAbout) return null;
  if (method === 'DELETE') return 'delete response';
  if (isCancel) return 'cancel response';
  return isStream ? 'stream response' : 'read response';
}
