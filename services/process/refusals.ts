import { isSchemaFault } from '#core/postgres/refusal.ts';
import { codeOf, REDIS_REFUSALS } from './part-sentences.ts';

/** A part that answers a probe but refuses work. */
export type RefusingPart = 'queue' | 'database';

/** Records the parts that have recently refused work. A probe, which only reads, does not detect that. */
export type Refusals = {
  /** Records any error that is a refusal. */
  record(error: unknown): void;
  /** Forgets the refusal of a part that has accepted work. */
  forget(part: RefusingPart): void;
  /** Returns the code of a part's latest refusal, or null. */
  codeFor(part: RefusingPart): string | null;
};

/** Longer than any pause between two attempts to enqueue a late row, or to write to a database that refuses. */
const LASTS_MS = { queue: 70_000, database: 40_000 };

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
