/**
 * A read of a turn.
 * - `isWhole`: the turn has changed, or a watcher needs it. Otherwise it is read only if it has a new event.
 * - `seeksLive`: live events may be missing. They are looked for after the read.
 */
export type Reading = { isWhole: boolean; seeksLive: boolean };

/** The reads of a turn. */
export type Readings = {
  /** Requests a read that begins after this call. */
  request(reading: Reading): void;
  /** Requests a whole read a moment later, after a failed read. */
  requestLater(error: unknown): void;
  stop(): void;
};

type ReadingParts = {
  heartbeatMs: number;
  read(reading: Reading): Promise<void>;
  /** Called at each heartbeat, before its read. */
  beat(): void;
  failed(error: unknown): void;
};

const READ_LATER_MS = 1_000;

/** Reads on request, never concurrently, and at each heartbeat, because messages may get lost. */
export function makeReadings({ heartbeatMs, read, beat, failed }: ReadingParts): Readings {
  /** Requested reads that have not started. Null if none was requested. */
  let due: Reading | null = null;
  /** A read that has failed. The next read, at the latest at the next heartbeat, replaces it. */
  let missing: Reading | null = null;
  let phase: 'idle' | 'reading' | 'stopped' = 'idle';
  // The first heartbeat is at a random time, so that turns watched since the same moment are not all read at once.
  let timer = setTimeout(heartbeat, heartbeatMs * (0.5 + Math.random() / 2));

  function heartbeat(): void {
    timer = setTimeout(heartbeat, heartbeatMs);
    beat();
    request({ isWhole: false, seeksLive: true });
  }
  function request(reading: Reading): void {
    due = both(due, both(missing, reading));
    missing = null;
    if (phase === 'idle') void readAllDue();
  }
  async function readAllDue(): Promise<void> {
    phase = 'reading';
    while (due && phase === 'reading') {
      const reading: Reading = due;
      due = null;
      await read(reading).catch((error: unknown) => postpone(reading, error));
    }
    if (phase === 'reading') phase = 'idle';
  }
  function postpone(reading: Reading, error: unknown): void {
    if (phase === 'stopped') return;
    failed(error);
    missing = both(missing, { ...reading, isWhole: true });
    clearTimeout(timer);
    timer = setTimeout(heartbeat, Math.min(READ_LATER_MS, heartbeatMs));
  }
  return {
    request,
    requestLater: (error) => postpone({ isWhole: true, seeksLive: false }, error),
    stop: () => {
      phase = 'stopped';
      clearTimeout(timer);
    },
  };
}

/** Merges two reads into a single read. */
function both(one: Reading | null, other: Reading): Reading {
  if (!one) return other;
  return { isWhole: one.isWhole || other.isWhole, seeksLive: one.seeksLive || other.seeksLive };
}
