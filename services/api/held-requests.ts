import { RequestRefused } from '#core/failure.ts';
import type { Caller } from './api-keys.ts';

/** Requests that stay open for long, streams of events and long polls, counted by the key they came with. */
export type HeldRequests = {
  /** Counts one more, until the returned function is called. Refuses what is beyond the limit of a key. */
  hold(caller: Caller): () => void;
};

/** So many at once for each key, in this process. */
export function makeHeldRequests(limit: number): HeldRequests {
  const held = new Map<string, number>();

  return {
    hold: ({ project, keyId }) => {
      const key = `${project} ${keyId}`;
      const count = held.get(key) ?? 0;
      if (count >= limit) throw tooMany(limit);
      held.set(key, count + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (held.get(key) ?? 1) - 1;
        if (left === 0) held.delete(key);
        else held.set(key, left);
      };
    },
  };
}

function tooMany(limit: number): RequestRefused {
  const message = `This key has ${limit} streams and long polls open here. Close some, or ask without \`wait\`.`;
  return new RequestRefused(429, 'too_many_streams', message);
}
