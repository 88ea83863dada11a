/**
 * @import { TurnEvent } from './follow-events.js'
 * @import { Watched, Round, Result, ToolCall } from './watch-turn.js'
 * @import { Bar } from './call-bars.js'
 * @import { LiveTurn } from './live-turn.js'
 */
import { axisOf } from './axis.js';
import { batchEntries, isLongWait } from './batch-entries.js';
import { within } from './call-bars.js';
import { endsTurn } from './follow-events.js';

/** @typedef {{ call: ToolCall, result: Result, bars: Bar[] }} CalledTool */

/**
 * One thing of a turn's timeline. A round and a batch are checkpoints; `lost` are attempts that nobody heard of again,
 * `idle` a step that was owed for long before anybody was on it. Times without a unit are RFC 3339.
 * @typedef {{ kind: 'started', at: string, bars: Bar[] }
 *   | { kind: 'retrying', at: string, event: TurnEvent, bars: Bar[] }
 *   | { kind: 'lost', round: number, runs: number, bars: Bar[] }
 *   | { kind: 'idle', round: number, bars: Bar[] }
 *   | { kind: 'round', round: Round, bars: Bar[] }
 *   | { kind: 'batch', round: Round, calls: CalledTool[] }
 *   | { kind: 'parked', at: string, until: string | null, event: TurnEvent }
 *   | { kind: 'failed', at: string, event: TurnEvent, bars: Bar[] }
 *   | { kind: 'resumed', at: string }
 *   | { kind: 'asking', round: number, bars: Bar[] }
 *   | { kind: 'queued', bars: Bar[] }
 *   | { kind: 'ended', at: string, status: string }} Entry
 */

/** @typedef {{ since: string, retries: number, backoffMs: number, position: (time: string | number) => number }} Place */

/**
 * A turn as its durable events tell it, in order, and what it does now at the end.
 * @param {Pick<Watched, 'rounds' | 'events' | 'live'> & { turn: NonNullable<Watched['turn']> }} watched
 */
export function timelineOf({ turn, rounds, events, live }) {
  const position = axisOf(turn.created_at, events);
  /** @type {Place} */
  const place = { since: turn.created_at, retries: 0, backoffMs: 0, position };
  const entries = events.flatMap((event, index) => {
    const told = entriesOf(event, { place, rounds, events, index, live });
    moveOn(place, event);
    return told;
  });
  return { position, entries: [...entries, ...underWay(turn, rounds, place)] };
}

/**
 * What has happened since the step that comes next was owed.
 * @param {Place} place
 * @param {TurnEvent} event
 */
function moveOn(place, { type, created_at: at, error, retry_in_ms: retryInMs }) {
  place.since = at ?? place.since;
  const isRetry = type === 'step.retrying';
  place.backoffMs = isRetry ? (retryInMs ?? 0) : 0;
  // A parked provider uses up no attempt, so that its pauses are none of those the round counted.
  if (isRetry && error?.code !== 'provider_rate_limited') place.retries += 1;
  if (type === 'round.completed' || type === 'turn.resumed') place.retries = 0;
}

/**
 * @param {TurnEvent} event
 * @param {{ place: Place, rounds: Round[], events: TurnEvent[], index: number, live: LiveTurn }} around
 * @returns {Entry[]}
 */
function entriesOf(event, { place, rounds, events, index, live }) {
  const { type, created_at: at = '' } = event;
  const since = place.position(place.since);
  const now = place.position(at);
  if (type === 'turn.started') return [{ kind: 'started', at, bars: [{ kind: 'wait', from: since, to: now }] }];
  if (type === 'step.retrying') return [{ kind: 'retrying', at, event, bars: triedBars(place, since, now) }];
  if (type === 'turn.requires_action') return [{ kind: 'parked', at, until: endOfPause(events, index), event }];
  if (type === 'turn.failed') return [{ kind: 'failed', at, event, bars: triedBars(place, since, now) }];
  // A parked turn that goes on has told so in the entry of its pause.
  if (type === 'turn.resumed') return events[index - 1]?.type === 'turn.failed' ? [{ kind: 'resumed', at }] : [];
  if (endsTurn(event)) return [{ kind: 'ended', at, status: type.replace('turn.', '') }];
  const round = type === 'round.completed' && rounds.find(({ number }) => number === event.round);
  return round ? [...roundEntries(round, place), ...batchEntries(round, place.position, { events, live })] : [];
}

/**
 * A try that brought nothing: the pause that was kept before it is no part of it.
 * @param {Place} place
 * @param {number} since
 * @param {number} now
 * @returns {Bar[]}
 */
function triedBars({ backoffMs }, since, now) {
  const begun = Math.min(since + backoffMs, now);
  return [...pauseBars(since, begun), { kind: 'lost', from: begun, to: now }];
}

/**
 * @param {number} from
 * @param {number} to
 * @returns {Bar[]} none where there was no pause
 */
function pauseBars(from, to) {
  return to > from ? [{ kind: 'pause', from, to }] : [];
}

/**
 * When a turn that was parked at an event went on, or ended; null while it is parked.
 * @param {TurnEvent[]} events
 * @param {number} index
 */
function endOfPause(events, index) {
  return events.slice(index + 1).find(({ type }) => type.startsWith('turn.'))?.created_at ?? null;
}

/**
 * @param {Round} round
 * @param {Place} place
 * @returns {Entry[]}
 */
function roundEntries(round, { since, retries, backoffMs, position }) {
  const owed = position(since);
  const end = Math.max(position(round.completed_at), owed);
  const started = within(position(round.started_at), owed, end);
  const runs = Math.max(0, round.attempts - 1 - retries);
  const model = /** @type {Bar} */ ({ kind: 'model', from: started, to: end });
  const alone = /** @type {Entry} */ ({ kind: 'round', round, bars: [model] });
  const due = Math.min(owed + backoffMs, started);
  const pause = pauseBars(owed, due);
  if (runs > 0) {
    const bars = [...pause, /** @type {Bar} */ ({ kind: 'lost', from: due, to: started })];
    return [{ kind: 'lost', round: round.number, runs, bars }, alone];
  }
  const wait = /** @type {Bar} */ ({ kind: 'wait', from: due, to: started });
  if (isLongWait(due, started)) return [{ kind: 'idle', round: round.number, bars: [...pause, wait] }, alone];
  return [{ kind: 'round', round, bars: [...pause, wait, model] }];
}

/**
 * What the turn does now that no event tells of yet.
 * @param {NonNullable<Watched['turn']>} turn
 * @param {Round[]} rounds
 * @param {Place} place
 * @returns {Entry[]}
 */
function underWay({ status, phase, round }, rounds, { since, backoffMs, position }) {
  const from = position(since);
  if (status === 'queued') return [{ kind: 'queued', bars: [{ kind: 'wait', from, to: null }] }];
  const isAsking = phase === 'llm_round' && !rounds.some(({ number }) => number === round);
  if (!isAsking) return [];
  const bars = [
    ...pauseBars(from, from + backoffMs),
    /** @type {Bar} */ ({ kind: 'model', from: from + backoffMs, to: null }),
  ];
  return [{ kind: 'asking', round, bars }];
}
