import type { Silence } from './open-socket.ts';

const LONGEST_IDLE_MS = 240_000;
const LONGEST_LIFE_MS = 2_700_000;

/** The state of a connection from its opening to its end. */
export type ConnectionLife = {
  inFlight(): number;
  isClosed(): boolean;
  /** Whether the connection was opened, or last used, so long ago that the pool has to replace it. */
  isOld(): boolean;
  /** Counts a statement from its begin to its answer. */
  begin(): void;
  answer(): void;
  /** Ends the connection: every later statement fails. */
  end(): void;
  silence: Silence;
};

/** Begins the life of a connection that closes after a silence of `silenceMs`. Calls `closed` once, at its end. */
export function beginConnectionLife(closed: () => void, silenceMs: number): ConnectionLife {
  const openedAt = performance.now();
  let usedAt = openedAt;
  let begunAt = openedAt;
  let inFlight = 0;
  let isClosed = false;
  const isOlder = (moment: number, ms: number) => performance.now() - moment > ms;

  function end(): void {
    if (isClosed) return;
    isClosed = true;
    closed();
  }
  /**
   * Ends the connection before its socket closes, so that no statement meets the closed socket. A statement that has
   * just begun keeps the connection: postgres.js sends it a moment later, which also ends the silence.
   */
  function mayClose(): boolean {
    if (inFlight > 0 && !isOlder(begunAt, silenceMs)) return false;
    end();
    return true;
  }
  return {
    inFlight: () => inFlight,
    isClosed: () => isClosed,
    isOld: () => isOlder(usedAt, LONGEST_IDLE_MS) || isOlder(openedAt, LONGEST_LIFE_MS),
    begin: () => {
      inFlight += 1;
      begunAt = performance.now();
    },
    answer: () => {
      inFlight -= 1;
      usedAt = performance.now();
    },
    end,
    silence: { afterMs: silenceMs, mayClose },
  };
}
