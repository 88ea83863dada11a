/**
 * @import { Bar } from './bars.js'
 * @import { TurnEvent } from '../watch/event-stream.js'
 * @import { AdoptedCalls, LiveCall, LiveTurn, Result, Round, ToolCall, Watched } from '../watch/watched-turn.js'
 */

import { endsTurn } from '../watch/event-stream.js';
import { axisOf } from './axis.js';
import { callBars, within } from './bars.js';

/** @typedef {NonNullable<NonNullable<Watched['turn']>['compactions']>[number]} Compaction */
/** @typedef {{ call: ToolCall, result: Result, bars: Bar[] }} CalledTool */

/**
 * One entry of a turn's timeline. A round and a batch are checkpoints. `lost` are attempts without an outcome, `idle`
 * is a step that was due for long before a worker took it. Times without a unit are RFC 3339.
 * @typedef {{ kind: 'started', at: string, bars: Bar[] }
 *   | { kind: 'compacted', at: string, event: TurnEvent, made: Compaction | null, bars: Bar[] }
 *   | { kind: 'retrying', at: string, event: TurnEvent, bars: Bar[] }
 *   | { kind: 'changed' | 'tier', at: string, event: TurnEvent, bars: Bar[] }
 *   | { kind: 'lost', round: number, runs: number, bars: Bar[] }
 *   | { kind: 'idle', round: number, bars: Bar[] }
 *   | { kind: 'round', round: Round, bars: Bar[] }
 *   | { kind: 'batch', round: Pick<Round, 'number'>, calls: CalledTool[] }
 *   | { kind: 'waiting', at: string, until: string | null, event: TurnEvent }
 *   | { kind: 'failed', at: string, event: TurnEvent, bars: Bar[] }
 *   | { kind: 'resumed', at: string }
 *   | { kind: 'joined', at: string, event: TurnEvent }
 *   | { kind: 'running', round: number, bars: Bar[] }
 *   | { kind: 'queued', bars: Bar[] }
 *   | { kind: 'ended', at: string, status: string }} Entry
 */

/** @typedef {{ since: string, retries: number, backoffMs: number, position: (time: string | number) => number }} Cursor */

/**
 * The entries of a turn's durable events, in order, then those of what it does now.
 * @param {Pick<Watched, 'adopted' | 'rounds' | 'events' | 'live'> & { turn: NonNullable<Watched['turn']> }} watched
 */
export function timelineEntries({ turn, adopted, rounds, events, live }) {
  const position = axisOf(turn.created_at, events);
  /** @type {Cursor} */
  const cursor = { since: turn.created_at, retries: 0, backoffMs: 0, position };
  const entries = events.flatMap((event, index) => {
    const found = entriesOf(event, { cursor, turn, adopted, rounds, events, index, live });
    advance(cursor, event);
    return found;
  });
  return { position, entries: [...entries, ...currentEntries(turn, rounds, cursor)] };
}

/**
 * Moves on past an event: the next step has been due since then.
 * @param {Cursor} cursor
 * @param {TurnEvent} event
 */
function advance(cursor, { type, created_at: at, error, retry_in_ms: retryInMs }) {
  // An input that joins makes no step due.
  if (type === 'input.added') return;
  cursor.since = at ?? cursor.since;
  const isRetry = type === 'step.retrying';
  cursor.backoffMs = isRetry ? (retryInMs ?? 0) : 0;
  // A rate-limited provider uses up no attempt, so that its pauses are none of those the round counted.
  if (isRetry && error?.code !== 'provider_rate_limited') cursor.retries += 1;
  if (type === 'round.completed' || type === 'turn.resumed' || type === 'model.changed') cursor.retries = 0;
}

/**
 * The entries of events that come after a request without a reply.
 * @type {Record<string, 'retrying' | 'changed' | 'tier' | 'failed'>}
 */
const TRIED = {
  'step.retrying': 'retrying',
  'model.changed': 'changed',
  'tier.changed': 'tier',
  'turn.failed': 'failed',
};

/**
 * @param {TurnEvent} event
 * @param {{ cursor: Cursor, turn: NonNullable<Watched['turn']>, adopted: AdoptedCalls | null, rounds: Round[], events: TurnEvent[], index: number, live: LiveTurn }} around
 * @returns {Entry[]}
 */
function entriesOf(event, { cursor, turn, adopted, rounds, events, index, live }) {
  const { type, created_at: at = '' } = event;
  const since = cursor.position(cursor.since);
  const now = cursor.position(at);
  if (type === 'input.added') return [{ kind: 'joined', at, event }];
  if (type === 'turn.started') {
    const first = adopted
      ? batchEntries({ ...adopted, number: 0, completed_at: at }, cursor.position, { events, live })
      : [];
    return [{ kind: 'started', at, bars: startBars(turn, cursor, now) }, ...first];
  }
  if (type === 'context.compacted') return [compactedEntry(event, turn, { since, now })];
  const tried = TRIED[type];
  if (tried) return [{ kind: tried, at, event, bars: triedBars(cursor, since, now) }];
  if (type === 'turn.requires_action') return [{ kind: 'waiting', at, until: endOfPause(events, index), event }];
  // The entry of a wait already shows when the turn resumed.
  if (type === 'turn.resumed') return events[index - 1]?.type === 'turn.failed' ? [{ kind: 'resumed', at }] : [];
  if (endsTurn(event)) return [{ kind: 'ended', at, status: type.replace('turn.', '') }];
  const round = type === 'round.completed' && rounds.find(({ number }) => number === event.round);
  return round ? [...roundEntries(round, cursor), ...batchEntries(round, cursor.position, { events, live })] : [];
}

/**
 * @param {TurnEvent} event
 * @param {NonNullable<Watched['turn']>} turn
 * @param {{ since: number, now: number }} span
 * @returns {Entry}
 */
function compactedEntry(event, turn, { since, now }) {
  const made = turn.compactions?.find(({ round }) => round === event.round) ?? null;
  const bars = made?.model ? [/** @type {Bar} */ ({ kind: 'model', from: since, to: now })] : [];
  return { kind: 'compacted', at: event.created_at ?? '', event, made, bars };
}

/**
 * A failed attempt, without the pause before it.
 * @param {Cursor} cursor
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
 * When a turn that required action at an event resumed or ended; null while it still requires action.
 * @param {TurnEvent[]} events
 * @param {number} index
 */
function endOfPause(events, index) {
  return events.slice(index + 1).find(({ type }) => type.startsWith('turn.'))?.created_at ?? null;
}

/**
 * @param {Round} round
 * @param {Cursor} cursor
 * @returns {Entry[]}
 */
function roundEntries(round, { since, retries, backoffMs, position }) {
  const dueFrom = position(since);
  const end = Math.max(position(round.completed_at), dueFrom);
  const started = within(position(round.started_at), dueFrom, end);
  const runs = Math.max(0, round.attempts - 1 - retries);
  const model = /** @type {Bar} */ ({ kind: 'model', from: started, to: end });
  const alone = /** @type {Entry} */ ({ kind: 'round', round, bars: [model] });
  const due = Math.min(dueFrom + backoffMs, started);
  const pause = pauseBars(dueFrom, due);
  if (runs > 0) {
    const bars = [...pause, /** @type {Bar} */ ({ kind: 'lost', from: due, to: started })];
    return [{ kind: 'lost', round: round.number, runs, bars }, alone];
  }
  const wait = /** @type {Bar} */ ({ kind: 'wait', from: due, to: started });
  if (isLongWait(due, started)) return [{ kind: 'idle', round: round.number, bars: [...pause, wait] }, alone];
  return [{ kind: 'round', round, bars: [...pause, wait, model] }];
}

/**
 * What the turn does now, before there is an event of it.
 * @param {NonNullable<Watched['turn']>} turn
 * @param {Round[]} rounds
 * @param {Cursor} cursor
 * @returns {Entry[]}
 */
function currentEntries(turn, rounds, cursor) {
  const { status, phase, round } = turn;
  const { since, backoffMs, position } = cursor;
  const from = position(since);
  if (status === 'queued') return [{ kind: 'queued', bars: startBars(turn, cursor, null) }];
  const isRunning = phase === 'llm_round' && !rounds.some(({ number }) => number === round);
  if (!isRunning) return [];
  const bars = [
    ...pauseBars(from, from + backoffMs),
    /** @type {Bar} */ ({ kind: 'model', from: from + backoffMs, to: null }),
  ];
  return [{ kind: 'running', round, bars }];
}

/**
 * The wait of a turn for its first worker, behind the pause until it was to start.
 * @param {object} turn
 * @param {Cursor} cursor
 * @param {number | null} now null while it waits
 * @returns {Bar[]}
 */
function startBars(turn, { since, position }, now) {
  const { start_at: startAt = null } = /** @type {{ start_at?: string | null }} */ (turn);
  const from = position(since);
  const due = startAt === null ? from : Math.min(Math.max(position(startAt), from), now ?? Number.POSITIVE_INFINITY);
  return [...pauseBars(from, due), { kind: 'wait', from: due, to: now }];
}

/** A step that was due for longer than any queue should need: about as long as a lost worker's lease takes to expire. */
const LONG_WAIT_MS = 4_000;

/**
 * The batch of a round, or of adopted calls, as entries of a timeline: its calls, and a word on a wait for a worker that was
 * long.
 * @param {Pick<Round, 'number' | 'tool_calls' | 'results' | 'completed_at'>} round
 * @param {(time: string | number) => number} position
 * @param {Pick<Watched, 'events' | 'live'>} watched
 * @returns {Entry[]}
 */
function batchEntries(round, position, { events, live }) {
  if (round.tool_calls.length === 0) return [];
  const resumedAt = events.flatMap(({ type, created_at: at }) => (type === 'turn.resumed' && at ? [at] : []));
  const calls = round.tool_calls.flatMap((call) => {
    const known = round.results.find(({ tool_call_id: id }) => id === call.id);
    const result = known && withLiveStart(known, live.calls[call.id]);
    return result ? [{ call, result, bars: callBars({ result, dueAt: round.completed_at, resumedAt, position }) }] : [];
  });
  const waits = calls.flatMap(({ bars }) => bars.filter(({ kind }) => kind === 'wait'));
  const long = waits.find(({ from, to }) => to !== null && isLongWait(from, to));
  const batch = /** @type {Entry} */ ({ kind: 'batch', round, calls });
  return long ? [{ kind: 'idle', round: round.number, bars: [long] }, batch] : [batch];
}

/**
 * Whether a step waited so long that a worker may have been lost. Both are places on the axis, in ms.
 * @param {number} from
 * @param {number} to
 */
function isLongWait(from, to) {
  return to - from >= LONG_WAIT_MS;
}

/**
 * A call with a live start event runs, although none of it is committed.
 * @param {Result} result
 * @param {LiveCall | undefined} live
 * @returns {Result}
 */
function withLiveStart(result, live) {
  const isOpen = result.status === 'pending' || result.status === 'running';
  if (!live || !isOpen || result.started_at !== null) return result;
  return { ...result, status: 'running', started_at: live.startedAt };
}
