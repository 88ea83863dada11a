import { setImmediate as nextEventLoopIteration } from 'node:timers/promises';

export type BatchEntry<Statement, Answer> = {
  statement: Statement;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
};

/** The time after which later statements no longer wait for a group, since it waits for a lock or the network. */
const STUCK_AFTER_MS = 50;

/**
 * Runs concurrent statements in groups of up to `most`. A statement never waits for later statements. `run` settles
 * each entry of a group. If `run` rejects, it has settled no entry, and all are rejected.
 */
export function batchConcurrent<Statement, Answer>(
  run: (group: BatchEntry<Statement, Answer>[]) => Promise<void>,
  most: number,
): (statement: Statement) => Promise<Answer> {
  const waiting: BatchEntry<Statement, Answer>[] = [];
  let inFlight = 0;

  async function send(): Promise<void> {
    inFlight += 1;
    await nextEventLoopIteration();
    const group = waiting.splice(0, most);
    if (waiting.length >= most) void send();
    const leave = once(() => {
      inFlight -= 1;
      if (inFlight === 0 && waiting.length > 0) void send();
    });
    const timeout = setTimeout(leave, STUCK_AFTER_MS);
    if (group.length > 0) await run(group).catch((error: unknown) => rejectAll(group, error));
    clearTimeout(timeout);
    leave();
  }
  return (statement) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, resolve, reject });
      if (inFlight === 0 || waiting.length === most) void send();
    });
}

export function rejectAll(group: Pick<BatchEntry<unknown, unknown>, 'reject'>[], error: unknown): void {
  for (const { reject } of group) reject(error);
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
