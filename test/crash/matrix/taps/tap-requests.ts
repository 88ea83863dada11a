import { subscribe } from 'node:diagnostics_channel';
import { readBatchRequest } from '#simulator/batches/batch-request.ts';
import type { Crossings } from './crossings.ts';

/** A request of undici, as its diagnostics channels report it. */
type Sent = { method: string; path: string };

const ABOUT_RESPONSE = /\/responses\/[^/?]+(\/cancel)?(\?.*stream=true)?/;

/** Crosses before each request about a response or a batch at the model, and after the head of its answer. */
export function tapRequests({ cross }: Crossings): void {
  crossAt('undici:request:create', (name) => cross(`before ${name}`));
  crossAt('undici:request:headers', (name) => cross(`after ${name}`));
}

function crossAt(channel: string, cross: (name: string) => void): void {
  subscribe(channel, (message) => {
    const { request } = message as { request: Sent };
    const name = batchActOf(request) ?? responseActOf(request);
    if (name) cross(name);
  });
}

/** Returns the act of a request about batches or their files, or null for other requests. */
function batchActOf({ method, path }: Sent): string | null {
  const request = readBatchRequest({ method, url: path, headers: {} });
  return request && `${request.act} of a batch`;
}

/** Returns the act of a request about a response, or null for other requests. */
function responseActOf({ method, path }: Sent): string | null {
  const [isAbout, isCancel, isStream] = ABOUT_RESPONSE.exec(path) ?? [];
  if (!isAbout) return null;
  if (method === 'DELETE') return 'delete response';
  if (isCancel) return 'cancel response';
  return isStream ? 'stream response' : 'read response';
}
