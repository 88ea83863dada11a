/** @import { TurnEvent } from '../watch/event-stream.js' */

/** @typedef {{ from: number, to: number }} Span in ms */

/**
 * The time axis of a turn. It begins when the turn was queued, and stands still while the turn requires action or has
 * failed. A day of waiting for a person must not press everything else into one pixel.
 * @param {string} createdAt
 * @param {TurnEvent[]} events
 * @returns {(time: string | number) => number} the position of a time, in ms from the start
 */
export function axisOf(createdAt, events) {
  const start = Date.parse(createdAt);
  const pauses = pausesOf(events);
  return (time) => {
    const at = typeof time === 'number' ? time : Date.parse(time);
    const pausedMs = pauses.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(at, to) - from), 0);
    return Math.max(0, at - start - pausedMs);
  };
}

/**
 * How much of the axis the spans cover, in ms; they may overlap.
 * @param {Span[]} spans
 */
export function coveredMs(spans) {
  let end = 0;
  let covered = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered;
}

/**
 * Round times to write along an axis, from 0; none so near its end that there is no room to write.
 * @param {number} totalMs
 */
export function ticksOf(totalMs) {
  const rough = Math.max(totalMs, 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  return Array.from({ length: Math.floor((totalMs * 0.88) / step) + 1 }, (_, index) => index * step);
}

/**
 * @param {TurnEvent[]} events
 * @returns {Span[]} in ms since 1970
 */
function pausesOf(events) {
  /** @type {Span[]} */
  const pauses = [];
  for (const { type, created_at: at = '' } of events) {
    const open = pauses.at(-1)?.to === Number.POSITIVE_INFINITY ? pauses.at(-1) : undefined;
    if (open && type.startsWith('turn.')) open.to = Date.parse(at);
    if (type === 'turn.requires_action' || type === 'turn.failed') {
      pauses.push({ from: Date.parse(at), to: Number.POSITIVE_INFINITY });
    }
  }
  return pauses;
}
