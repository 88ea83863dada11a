import { RequestRefused } from '#core/failure.ts';
import type { Caller } from '../http/api-keys.ts';

/** Counts long requests (event streams and long polls) by key. */
export type StreamLimiter = {
  /** Counts a request until the returned function is called. Refuses a request beyond the limit of its key. */
  acquire(caller: Pick<Caller, 'project' | 'keyId'>): () => void;
};

/** Limits the open requests of each key in this process. */
export function makeStreamLimiter(limit: number): StreamLimiter {
  const openByKey = new Map<string, number>();

  return {
    acquire: ({ project, keyId }) => {
      const key = `${project} ${keyId}`;
      const count = openByKey.get(key) ?? 0;
      if (count >= limit) throw tooMany(limit);
      openByKey.set(key, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (openByKey.get(key) ?? 1) - 1;
        if (left === 0) openByKey.delete(key);
        else openByKey.set(key, left);
      };
    },
  };
}

function tooMany(limit: number): RequestRefused {
  const message = `This key has ${limit} streams and long polls open here. Close some, or send the request without \`wait\`.`;
  return new RequestRefused(429, 'too_many_streams', message);
}
