import { getHeapStatistics } from 'node:v8';
import { takeTurns } from './take-turns.ts';

const SLOTS = Math.max(2, Math.floor(getHeapStatistics().heap_size_limit / (128 * 1024 * 1024)));

/** Bounds on large answers of tools, which are in memory several times until their results are saved. */
export const LARGE_ANSWERS = {
  /** Bytes above which an answer needs a slot. */
  bytes: 256 * 1024,
  /** Answers that hold a slot at a time: an answer for each 128 MiB of heap. */
  slots: SLOTS,
  slotsOfServer: Math.max(1, Math.floor(SLOTS / 2)),
  slotsOfProject: SLOTS - 1,
  /** Milliseconds in which an answer with a slot must arrive, since other answers wait for that slot. */
  arrivalMs: 60_000,
};

/** The slot of a call's answer, which is released when it is disposed. */
export type AnswerSlot = Disposable & {
  /**
   * Waits until the answer of this server has a slot. Resolves at once if it has a slot, or if the call has ended.
   */
  take(server: string): Promise<void>;
  /** Reports that the large part of the answer has arrived. No further part must arrive until the next `take`. */
  arrived(): void;
  /** Called if an answer with a slot does not arrive in time. */
  onOverdue: () => void;
  waitedMs(): number;
  /** Releases the slot before the next attempt of the call. */
  release(): void;
};

/** An answer that waits. `start` gives it a slot, or returns false if its call has ended. */
type Waiting = { server: string; start(): boolean };

const waiting = takeTurns<Waiting>();
const held = new Map<string, number>();
let free = LARGE_ANSWERS.slots;

/** Opens the slot of a call of this project. Projects take turns, and so do the servers that each project calls. */
export function openAnswerSlot(project: string): AnswerSlot {
  let current: { taken: Promise<void>; end(): void; waitedMs(): number } | null = null;
  let waitedBefore = 0;
  let isOver = false;
  let arrival: NodeJS.Timeout | undefined;

  const arrived = () => {
    clearTimeout(arrival);
    arrival = undefined;
  };
  const release = () => {
    arrived();
    waitedBefore += current?.waitedMs() ?? 0;
    current?.end();
    current = null;
  };
  const slot: AnswerSlot = {
    async take(server) {
      // A reader may still ask after its call was given up. That slot would never be released.
      if (isOver) return;
      current ??= waitForSlot(project, server);
      await current.taken;
      if (current) arrival ??= setTimeout(() => slot.onOverdue(), LARGE_ANSWERS.arrivalMs);
    },
    arrived,
    onOverdue: () => {},
    waitedMs: () => waitedBefore + (current?.waitedMs() ?? 0),
    release,
    [Symbol.dispose]: () => {
      isOver = true;
      release();
    },
  };
  return slot;
}

function waitForSlot(project: string, server: string) {
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  const askedAt = performance.now();
  let startedAt: number | undefined;
  let giveBack = () => {};
  let isOver = false;

  const start = () => {
    if (isOver) return false;
    giveBack = holdSlot(project, server);
    startedAt = performance.now();
    resolve();
    return true;
  };
  const end = () => {
    isOver = true;
    resolve();
    giveBack();
  };
  waiting.add(JSON.stringify([project, server]), { server, start });
  fillSlots();
  return { taken, end, waitedMs: () => (startedAt ?? performance.now()) - askedAt };
}

const NOT_ARRIVED = `needed more than ${LARGE_ANSWERS.arrivalMs / 1000} s for an answer of more than ${LARGE_ANSWERS.bytes / 1024} KiB`;

/**
 * Calls `onTimeout`, with a sentence if a large answer is late. The wait for a slot does not count. Returns a
 * function that stops the timeout.
 */
export function startTimeout(
  timeoutMs: number,
  slot: AnswerSlot | undefined,
  onTimeout: (slow?: string) => void,
): () => void {
  if (slot) slot.onOverdue = () => onTimeout(NOT_ARRIVED);
  let countedMs = slot?.waitedMs() ?? 0;
  const check = () => {
    const moreMs = (slot?.waitedMs() ?? 0) - countedMs;
    countedMs += moreMs;
    if (moreMs > 0) timer = setTimeout(check, moreMs);
    else onTimeout();
  };
  let timer = setTimeout(check, timeoutMs);
  return () => {
    clearTimeout(timer);
    slot?.arrived();
  };
}

function fillSlots(): void {
  const mayStart = (key: string, { server }: Waiting) =>
    heldBy(serverKey(server)) < LARGE_ANSWERS.slotsOfServer &&
    heldBy(projectKey(JSON.parse(key)[0])) < LARGE_ANSWERS.slotsOfProject;
  while (free > 0) {
    const next = waiting.take(mayStart);
    if (!next) return;
    next.start();
  }
}

const serverKey = (server: string) => `server ${server}`;
const projectKey = (project: string) => `project ${project}`;

function heldBy(key: string): number {
  return held.get(key) ?? 0;
}

function holdSlot(project: string, server: string): () => void {
  let isHeld = true;
  const count = (difference: number) => {
    free -= difference;
    for (const key of [serverKey(server), projectKey(project)]) {
      const now = heldBy(key) + difference;
      if (now === 0) held.delete(key);
      else held.set(key, now);
    }
  };
  count(1);
  return () => {
    if (!isHeld) return;
    isHeld = false;
    count(-1);
    fillSlots();
  };
}
