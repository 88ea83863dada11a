import { getHeapStatistics } from 'node:v8';
import { takeTurns } from './take-turns.ts';

/** Large answers of tools: they are in memory several times over until their results are saved. */
export const LARGE_ANSWERS = {
  /** Bytes above which an answer needs a place. */
  bytes: 256 * 1024,
  /** Answers that have a place at a time: 4 with a heap of 512 MiB. One server has half of the places at most. */
  places: Math.max(2, Math.floor(getHeapStatistics().heap_size_limit / (128 * 1024 * 1024))),
};

/** The place of one call's answer, which is given back when it is disposed. */
export type AnswerPlace = Disposable & {
  /** Waits until the answer of this server has a place; resolves at once if it has one. */
  take(server: string): Promise<void>;
  /** How long the answer has waited for its place so far. */
  waitedMs(): number;
};

type Waiting = { server: string; start(): void };

const waiting = takeTurns<Waiting>();
const held = new Map<string, number>();
let free = LARGE_ANSWERS.places;

/** Opens the place of a call of this project. Projects take turns, and so do the servers that each of them calls. */
export function openAnswerPlace(project: string): AnswerPlace {
  let taken: Promise<void> | undefined;
  let askedAt = 0;
  let startedAt: number | undefined;
  let giveBack = () => {};
  let isOver = false;

  return {
    take(server) {
      taken ??= new Promise((resolve) => {
        const start = () => {
          giveBack = holdPlace(server);
          startedAt = performance.now();
          if (isOver) giveBack();
          resolve();
        };
        askedAt = performance.now();
        waiting.add(JSON.stringify([project, server]), { server, start });
        fillPlaces();
      });
      return taken;
    },
    waitedMs: () => (taken ? (startedAt ?? performance.now()) - askedAt : 0),
    [Symbol.dispose]: () => {
      isOver = true;
      giveBack();
    },
  };
}

/**
 * Calls `onTimeout` after a time in which the wait for a place does not count, so that no answer is lost to the answers of
 * others. Returns a function that stops this.
 */
export function startTimeout(timeoutMs: number, place: AnswerPlace | undefined, onTimeout: () => void): () => void {
  let countedMs = 0;
  const check = () => {
    const moreMs = (place?.waitedMs() ?? 0) - countedMs;
    countedMs += moreMs;
    if (moreMs > 0) timer = setTimeout(check, moreMs);
    else onTimeout();
  };
  let timer = setTimeout(check, timeoutMs);
  return () => clearTimeout(timer);
}

function fillPlaces(): void {
  const mayStart = (_: string, { server }: Waiting) => (held.get(server) ?? 0) < LARGE_ANSWERS.places / 2;
  while (free > 0) {
    const next = waiting.take(mayStart);
    if (!next) return;
    next.start();
  }
}

/** Returns a function that gives the place back, once. */
function holdPlace(server: string): () => void {
  let isHeld = true;
  const count = (difference: number) => {
    free -= difference;
    held.set(server, (held.get(server) ?? 0) + difference);
  };
  count(1);
  return () => {
    if (!isHeld) return;
    isHeld = false;
    count(-1);
    if (held.get(server) === 0) held.delete(server);
    fillPlaces();
  };
}
