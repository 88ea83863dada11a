/** A reference played without a death: all its crossings, and the points at which it is killed. */
type Play = { crossed: string[]; points: string[] };

/** Points that reach the queue, or the messages between processes on the same server. */
const REACHES_QUEUE = /^(?:(?:before|after) )?(?:take|enqueue|acknowledge|publish to) /;

/**
 * Returns the points at which a process dies in each play of one reference. The plays differ only in their queue.
 * Between two crossings to the queue a process does not change the queue, and the database is the same in all plays.
 * So the effect of a death has two halves, and each queue meets each half. A point is played on only one queue if on
 * all queues
 *
 * - it is crossed after the same crossing to the queue, and does not reach the queue itself, and
 * - another point after that crossing is played on every queue.
 *
 * These points are dealt in turn. All other points are played on every queue that crosses them.
 */
export function sharePoints(plays: Play[]): string[][] {
  const sections = plays.map(sectionsOf);
  const [first] = sections;
  const shared = [...(first ?? [])]
    .filter(([point, section]) => sections.every((other) => other.get(point) === section))
    .map(([point]) => point);
  const takenBy = new Map(shared.map((point, index) => [point, index % plays.length]));
  return plays.map(({ points }, number) => points.filter((point) => (takenBy.get(point) ?? number) === number));
}

/** Returns whether a death at a point affects the queue itself. */
export function reachesQueue(point: string): boolean {
  return REACHES_QUEUE.test(point);
}

/**
 * Returns the last crossing to the queue before each point, except for the first point that is played after a
 * crossing.
 */
function sectionsOf({ crossed, points }: Play): Map<string, string> {
  const chosen = new Set(points);
  const found = new Map<string, string>();
  let section = 'the queue has no job yet';
  let isMet = true;
  for (const point of crossed) {
    if (reachesQueue(point)) [section, isMet] = [point, false];
    if (!chosen.has(point)) continue;
    if (isMet) found.set(point, section);
    isMet = true;
  }
  return found;
}
