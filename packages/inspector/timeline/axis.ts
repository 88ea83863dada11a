export type Span = { from: number; to: number };

type TimedEvent = { type: string; created_at: string };

/** Returns the position of a time on the axis, in ms from the start of the turn. */
export type Position = (time: string | number) => number;

/** Returns the drawn position of a time, in ms of an axis with shortened pauses. */
export type Place = (position: number) => number;

/**
 * Returns the time axis of a turn, which begins when the turn was queued. The axis stops while the turn requires
 * action or has failed. So a day of waiting for a person does not press all other bars into one pixel.
 */
export function axisOf(createdAt: string, events: TimedEvent[]): Position {
  const start = Date.parse(createdAt);
  const stops = stopsOf(events);
  return (time) => {
    const at = typeof time === 'number' ? time : Date.parse(time);
    return Math.max(0, at - start - overlapMs(stops, at));
  };
}

function stopsOf(events: TimedEvent[]): Span[] {
  const stops: Span[] = [];
  for (const { type, created_at: at } of events) {
    const last = stops.at(-1);
    if (last?.to === Number.POSITIVE_INFINITY && type.startsWith('turn.')) last.to = Date.parse(at);
    if (type === 'turn.requires_action' || type === 'turn.failed') {
      stops.push({ from: Date.parse(at), to: Number.POSITIVE_INFINITY });
    }
  }
  return stops;
}

/** Returns the part of the spans before `at`, in ms. */
function overlapMs(spans: Span[], at: number): number {
  return spans.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(at, to) - from), 0);
}

export const unshortened: Place = (position) => position;

/** Shortens the pauses of an axis to at most half of the axis. */
export function shorten(pauses: Span[], totalMs: number): Place {
  const pausedMs = overlapMs(pauses, totalMs);
  const kept = (totalMs - pausedMs) / pausedMs;
  if (pausedMs === 0 || kept >= 1) return unshortened;
  return (position) => position - (1 - kept) * overlapMs(pauses, position);
}

/** Returns the part of the axis that the spans cover, in ms. Spans can overlap. */
export function coveredMs(spans: Span[]): number {
  let end = 0;
  let covered = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered;
}

/** Half a minute, minutes, hours and a day, in ms. */
const LONG_STEPS = [0.5, 1, 2, 5, 10, 30, 60, 120, 360, 720, 1_440].map((minutes) => minutes * 60_000);

/** Returns the times to write along an axis, from 0. Omits times near the end of the axis, which has no space. */
export function ticksOf(totalMs: number, place: Place): number[] {
  const drawnMs = place(totalMs);
  const rough = Math.max(drawnMs, 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const sizes = rough > 10_000 ? LONG_STEPS : [1, 2, 5, 10].map((factor) => factor * power);
  const step = sizes.find((size) => size >= rough) ?? rough;
  const places = Array.from({ length: Math.floor((drawnMs * 0.88) / step) + 1 }, (_, index) => index * step);
  return place === unshortened ? places : places.map((at) => positionAt(at, place, totalMs));
}

/** Finds the time that is drawn at a position, by halving. */
function positionAt(drawn: number, place: Place, totalMs: number): number {
  let [low, high] = [0, totalMs];
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (place(middle) < drawn) low = middle;
    else high = middle;
  }
  return high;
}
