import { isSchemaFault } from '#core/postgres/refusal.ts';
import { codeOf, REDIS_REFUSALS } from './part-sentences.ts';

/** A part that answers a probe and refuses work. */
export type RefusingPart = 'queue' | 'database';

/** Remembers which parts have refused work lately: a probe, which only reads, does not find it. */
export type Refusals = {
  /** Takes any error. */
  record(error: unknown): void;
  /** A part has taken what it had refused. */
  forget(part: RefusingPart): void;
  /** The code of a part's latest refusal; null if it refuses nothing. */
  codeFor(part: RefusingPart): string | null;
};

/** Longer than any pause between two tries to enqueue a row that is late, or to write what the database refuses. */
const LASTS_MS = { queue: 70_000, database: 40_000 };

/** Makes the refusals of one process. */
export function makeRefusals(): Refusals {
  const latest = new Map<RefusingPart, { code: string; until: number }>();
  const add = (part: RefusingPart, code: string) =>
    latest.set(part, { code, until: performance.now() + LASTS_MS[part] });
  return {
    record: (error) => {
      const code = codeOf(error);
      if (code && REDIS_REFUSALS.has(code)) add('queue', code);
      if (code && isSchemaFault(error)) add('database', code);
    },
    forget: (part) => void latest.delete(part),
    codeFor: (part) => {
      const refusal = latest.get(part);
      return refusal && refusal.until >= performance.now() ? refusal.code : null;
    },
  };
}
