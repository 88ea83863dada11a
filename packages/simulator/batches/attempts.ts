import { createHash } from 'node:crypto';

/** How often a request was sent: in creates, also refused creates, and in batches that ran. */
type Sent = { creates: number; runs: number };

/**
 * Counts the attempts of requests, since their ids do not name a round. Equal bodies are attempts of one request, and
 * equal bodies of one batch are one attempt.
 */
export type Attempts = {
  of(body: unknown): Sent;
  count(bodies: unknown[], isRun: boolean): void;
};

const MOST = 10_000;

export function makeAttempts(): Attempts {
  const attempts = new Map<string, Sent>();
  const of = (key: string) => attempts.get(key) ?? { creates: 0, runs: 0 };
  return {
    of: (body) => of(keyOf(body)),
    count(bodies, isRun) {
      for (const key of new Set(bodies.map(keyOf))) {
        const { creates, runs } = of(key);
        attempts.delete(key);
        attempts.set(key, { creates: creates + 1, runs: runs + (isRun ? 1 : 0) });
      }
      for (const key of attempts.keys()) {
        if (attempts.size <= MOST) return;
        attempts.delete(key);
      }
    },
  };
}

function keyOf(body: unknown): string {
  return createHash('sha1').update(JSON.stringify(body)).digest('base64');
}
