import { setTimeout as sleep } from 'node:timers/promises';
import type { Refusal } from '#core/postgres/refusal.ts';
import type { Availability } from '../process/availability.ts';
import type { Log } from '../process/log.ts';

/** A checkpoint that PostgreSQL refuses permanently, and the number of refusals. */
export type RefusedWrite = { verb: string; turnId: string | null; error: unknown; refusal: Refusal; times: number };

/** The refused checkpoints that a worker holds. To begin their steps again would pay for the model calls again. */
export type HeldWrites = {
  /** Waits until a write may be tried again. Throws its error when the worker closes. */
  wait(write: RefusedWrite): Promise<void>;
  /** Notes that PostgreSQL has accepted a held write. */
  taken(): void;
  /** Returns whether this worker should begin no step, since it could not write the result. */
  blocks(): boolean;
  close(): void;
};

const PAUSES_MS = [250, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

/** Makes the held writes of one worker. */
export function makeHeldWrites(log: Log, { suspect, accepted }: Availability): HeldWrites {
  const closing = new AbortController();
  const logged = new Set<string>();
  let blocking = 0;

  function report({ verb, turnId, refusal: { kind, code }, error }: RefusedWrite): void {
    const name = `${code} ${kind === 'data' ? turnId : verb}`;
    if (logged.has(name)) return;
    logged.add(name);
    // The message of other refusals contains values of a turn.
    const reason = kind === 'installation' && error instanceof Error ? error.message : undefined;
    const about = { event: 'write.refused', verb, turn_id: turnId, code, reason };
    log.error(
      about,
      `PostgreSQL refuses ${verb} (${code}). The worker repeats the write, without asking the model again`,
    );
  }
  return {
    wait: async (write) => {
      report(write);
      suspect(write.error);
      const blocks = write.refusal.kind === 'installation' ? 1 : 0;
      blocking += blocks;
      const pauseMs = PAUSES_MS[Math.min(write.times, PAUSES_MS.length) - 1];
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
      blocking -= blocks;
      if (closing.signal.aborted) throw write.error;
    },
    taken: () => {
      logged.clear();
      accepted('database');
    },
    blocks: () => blocking > 0,
    close: () => closing.abort(),
  };
}
