/** What an activity waits for; it is resumed once. */
export type Wait = (resume: () => void) => void;

/** Something that goes on in simulated time: each `yield` waits. */
export type Activity = Generator<Wait, void, void>;

/** Simulated time, in milliseconds. What comes due at one moment happens in the order in which it was asked for. */
export type Clock = {
  now(): number;
  sleep(ms: number): Wait;
  start(activity: Activity): void;
  /** Lets time pass until nothing is left to happen, or until `isOver`. */
  run(isOver?: () => boolean): void;
};

type Due = { at: number; order: number; act: () => void };

/** A clock that stands at zero. */
export function openClock(): Clock {
  const due: Due[] = [];
  let now = 0;
  let order = 0;

  const sleep =
    (ms: number): Wait =>
    (resume) =>
      push(due, { at: now + ms, order: order++, act: resume });
  const start = (activity: Activity) => {
    const step = () => {
      const next = activity.next();
      if (!next.done) next.value(step);
    };
    sleep(0)(step);
  };
  const run = (isOver = () => false) => {
    while (!isOver()) {
      const next = pop(due);
      if (!next) return;
      now = next.at;
      next.act();
    }
  };
  return { now: () => now, sleep, start, run };
}

function isBefore(one: Due | undefined, other: Due | undefined): boolean {
  if (!one || !other) return one !== undefined;
  return one.at === other.at ? one.order < other.order : one.at < other.at;
}

/** A binary heap: the parent of `index` is at `(index - 1) / 2`, and before its children. */
function push(heap: Due[], due: Due): void {
  let index = heap.push(due) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!isBefore(heap[index], heap[parent])) return;
    swap(heap, index, parent);
    index = parent;
  }
}

function pop(heap: Due[]): Due | undefined {
  if (heap.length < 2) return heap.pop();
  swap(heap, 0, heap.length - 1);
  const first = heap.pop();
  let index = 0;
  for (;;) {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    const child = isBefore(heap[right], heap[left]) ? right : left;
    if (!isBefore(heap[child], heap[index])) return first;
    swap(heap, index, child);
    index = child;
  }
}

function swap(heap: Due[], one: number, other: number): void {
  [heap[one], heap[other]] = [heap[other] as Due, heap[one] as Due];
}
