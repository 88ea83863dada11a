/** A reference played without a death, as far as it matters here: all it crossed, and the points at which it is killed. */
type Play = { crossed: string[]; points: string[] };

/** What reaches the queue or, which is on the same server, the messages between processes. */
const REACHES_QUEUE = /^(?:(?:before|after) )?(?:take|enqueue|acknowledge|publish to) /;

/**
 * At which points a process dies in each of some plays of one reference, which differ in their queue only. Between two crossings to
 * the queue a process changes nothing there, and the database is the same on all: what a death leaves is made of two halves, and
 * each half is met on each queue. So a point is played on one queue alone if on all of them
 *
 * - it is crossed behind the same crossing to the queue, and does not reach it itself, and
 * - another point behind that crossing is played on every queue.
 *
 * These are dealt in turn. All others are played on every queue that crosses them.
 */
export function sharePoints(plays: Play[]): string[][] {
  const stretches = plays.map(stretchesOf);
  const [first] = stretches;
  const shared = [...(first ?? [])]
    .filter(([point, stretch]) => stretches.every((other) => other.get(point) === stretch))
    .map(([point]) => point);
  const takenBy = new Map(shared.map((point, index) => [point, index % plays.length]));
  return plays.map(({ points }, number) => points.filter((point) => (takenBy.get(point) ?? number) === number));
}

/** Whether a death at a point meets the queue itself. */
export function reachesQueue(point: string): boolean {
  return REACHES_QUEUE.test(point);
}

/** Behind which crossing to the queue a point comes, unless it is the first that is played there. */
function stretchesOf({ crossed, points }: Play): Map<string, string> {
  const chosen = new Set(points);
  const found = new Map<string, string>();
  let stretch = 'nothing has reached the queue';
  let isMet = true;
  for (const point of crossed) {
    if (reachesQueue(point)) [stretch, isMet] = [point, false];
    if (!chosen.has(point)) continue;
    if (isMet) found.set(point, stretch);
    isMet = true;
  }
  return found;
}
