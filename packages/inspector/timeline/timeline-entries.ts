import { runsOf } from '../base/memo.tsx';
import type { AdoptedCalls, Result, Round, Turn } from '../base/turn.ts';
import type { LiveCall } from '../watch/live-turn.ts';
import type { DurableEvent, KnownTurn } from '../watch/watched-turn.ts';
import { axisOf, type Position } from './axis.ts';
import { type Bar, callBars, within } from './bars.tsx';
import type { CalledTool } from './call-view.tsx';

export type EventOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { type: Type }>;
export type Compaction = NonNullable<Turn['compactions']>[number];

type Retrying = { kind: 'event'; event: EventOf<'step.retrying'>; bars: Bar[] };

/**
 * An entry of a timeline. A round and a batch are checkpoints, and round 0 has the adopted calls. A `lost` entry
 * counts attempts without an outcome. An `idle` entry is a step that waited long for a worker.
 */
export type Entry = { bars: Bar[] } & (
  | { kind: 'event'; event: DurableEvent }
  | { kind: 'compacted'; event: EventOf<'context.compacted'>; made: Compaction | null }
  | { kind: 'waiting'; event: EventOf<'turn.requires_action'>; until: string | null }
  | { kind: 'attempts'; tried: [Retrying, ...Retrying[]] }
  | { kind: 'lost'; round: number; runs: number }
  | { kind: 'idle'; round: number }
  | { kind: 'round'; round: Round; isJoined: boolean }
  | { kind: 'batch'; round: number; calls: CalledTool[] }
  | { kind: 'running'; round: number }
  | { kind: 'queued' }
);

/** The state between two events: the time at which the next step became due, and the failed attempts before it. */
type Cursor = { since: string; retries: number; backoffMs: number };

type Reading = Omit<KnownTurn, 'rounds'> & { rounds: Map<number, Round>; position: Position; cursor: Cursor };

/** Returns the entries of a turn's durable events in order, then the entries of its current work. */
export function timelineEntries(watched: KnownTurn): { position: Position; entries: Entry[] } {
  const { turn, events, rounds } = watched;
  const position = axisOf(turn.created_at, events);
  const cursor = { since: turn.created_at, retries: 0, backoffMs: 0 };
  const byNumber = new Map(rounds.map((round) => [round.number, round]));
  const reading: Reading = { ...watched, rounds: byNumber, position, cursor };
  const entries = events.flatMap((event, index) => {
    const found = entriesOf(event, index, reading);
    advance(cursor, event);
    return found;
  });
  return { position, entries: foldAttempts([...entries, ...currentEntries(reading)]) };
}

/** Moves the cursor past an event, which makes the next step due. */
function advance(cursor: Cursor, event: DurableEvent): void {
  // An input that joins makes no step due.
  if (event.type === 'input.added') return;
  cursor.since = event.created_at;
  cursor.backoffMs = event.type === 'step.retrying' ? event.retry_in_ms : 0;
  // A rate-limited provider uses no attempt, and its pauses do not count for the round.
  if (event.type === 'step.retrying' && event.error.code !== 'provider_rate_limited') cursor.retries += 1;
  if (['round.completed', 'turn.resumed', 'model.changed'].includes(event.type)) cursor.retries = 0;
}

function entriesOf(event: DurableEvent, index: number, reading: Reading): Entry[] {
  const { cursor, position, turn, events, rounds, adopted } = reading;
  const at = event.created_at;
  const [since, now] = [position(cursor.since), position(at)];
  switch (event.type) {
    case 'turn.started': {
      const batch = adopted ? batchEntries({ ...adopted, number: 0, completed_at: at }, reading) : [];
      return [{ kind: 'event', event, bars: startBars(reading, now) }, ...batch];
    }
    case 'context.compacted': {
      const made = turn.compactions?.find(({ round }) => round === event.round) ?? null;
      return [{ kind: 'compacted', event, made, bars: made?.model ? [{ kind: 'model', from: since, to: now }] : [] }];
    }
    case 'step.retrying':
    case 'model.changed':
    case 'tier.changed':
    case 'turn.failed':
      return [{ kind: 'event', event, bars: triedBars(cursor, since, now) }];
    case 'turn.requires_action':
      return [{ kind: 'waiting', event, until: endOfWait(events, index), bars: [] }];
    case 'turn.resumed':
      // The entry of a wait already shows the time at which the turn resumed.
      return events[index - 1]?.type === 'turn.failed' ? [{ kind: 'event', event, bars: [] }] : [];
    case 'input.added':
    case 'turn.completed':
    case 'turn.incomplete':
    case 'turn.cancelled':
      return [{ kind: 'event', event, bars: [] }];
    case 'round.completed': {
      const round = rounds.get(event.round);
      return round ? [...roundEntries(round, reading), ...batchEntries(round, reading)] : [];
    }
    default:
      return [];
  }
}

/** Returns a failed attempt, with the pause before it. */
function triedBars({ backoffMs }: Cursor, since: number, now: number): Bar[] {
  const begun = Math.min(since + backoffMs, now);
  return [...pauseBars(since, begun), { kind: 'lost', from: begun, to: now }];
}

function pauseBars(from: number, to: number): Bar[] {
  return to > from ? [{ kind: 'pause', from, to }] : [];
}

/** Returns the time at which a turn resumed or ended after it required action, or null while it requires action. */
function endOfWait(events: DurableEvent[], index: number): string | null {
  return events.slice(index + 1).find(({ type }) => type.startsWith('turn.'))?.created_at ?? null;
}

function roundEntries(round: Round, { cursor, position, rounds, turn }: Reading): Entry[] {
  const { since, retries, backoffMs } = cursor;
  const dueFrom = position(since);
  const end = Math.max(position(round.completed_at), dueFrom);
  const started = within(position(round.started_at), dueFrom, end);
  const runs = Math.max(0, round.attempts - 1 - retries);
  const due = Math.min(dueFrom + backoffMs, started);
  const pause = pauseBars(dueFrom, due);
  const wait: Bar = { kind: 'wait', from: due, to: started };
  const joined = rounds.get(round.number + 1)?.input ?? turn.pending_input;
  const work: Bar = { kind: 'model', from: started, to: end };
  const alone: Entry = { kind: 'round', round, isJoined: joined.length > 0, bars: [work] };
  if (runs > 0) {
    const bars: Bar[] = [...pause, { ...wait, kind: 'lost' }];
    return [{ kind: 'lost', round: round.number, runs, bars }, alone];
  }
  if (isLongWait(wait)) return [{ kind: 'idle', round: round.number, bars: [...pause, wait] }, alone];
  return [{ ...alone, bars: [...pause, wait, work] }];
}

/** Returns the current work of the turn, which no event has reported. */
function currentEntries(reading: Reading): Entry[] {
  const { turn, rounds, cursor, position } = reading;
  if (turn.status === 'queued') return [{ kind: 'queued', bars: startBars(reading, null) }];
  if (turn.phase !== 'llm_round' || rounds.has(turn.round)) return [];
  const since = position(cursor.since);
  const begun = since + cursor.backoffMs;
  const bars: Bar[] = [...pauseBars(since, begun), { kind: 'model', from: begun, to: null }];
  return [{ kind: 'running', round: turn.round, bars }];
}

/** Returns the wait of a turn for its first worker, after its start time. `now` is null while the turn waits. */
function startBars({ turn, cursor, position }: Reading, now: number | null): Bar[] {
  const from = position(cursor.since);
  const due = turn.start_at === null ? from : within(position(turn.start_at), from, now);
  return [...pauseBars(from, due), { kind: 'wait', from: due, to: now }];
}

type Batch = Pick<Round, 'number' | 'tool_calls' | 'completed_at'> & { results: AdoptedCalls['results'] };

/** Returns the entries of a round's calls or of adopted calls, after an entry for a long wait for a worker. */
function batchEntries(round: Batch, { events, live, position }: Reading): Entry[] {
  if (round.tool_calls.length === 0) return [];
  const resumedAt = events.flatMap(({ type, created_at: at }) => (type === 'turn.resumed' ? [at] : []));
  const results = new Map(round.results.map((result) => [result.tool_call_id, result]));
  const calls = round.tool_calls.flatMap((call) => {
    const known = results.get(call.id);
    if (!known) return [];
    const result = withLiveStart(known, live.calls[call.id]);
    return [{ call, result, bars: callBars({ result, dueAt: round.completed_at, resumedAt, position }) }];
  });
  const bars = calls.flatMap((called) => called.bars);
  const batch: Entry = { kind: 'batch', round: round.number, calls, bars };
  const long = bars.find((bar) => bar.kind === 'wait' && isLongWait(bar));
  return long ? [{ kind: 'idle', round: round.number, bars: [long] }, batch] : [batch];
}

/** The length of a wait that no queue explains. The lease of a lost worker expires after about this time. */
const LONG_WAIT_MS = 4_000;

function isLongWait({ from, to }: Bar): boolean {
  return to !== null && to - from >= LONG_WAIT_MS;
}

/** Marks a call with a live start event as running, although no checkpoint has its start. */
function withLiveStart(result: Result, live: LiveCall | undefined): Result {
  const isOpen = result.status === 'pending' || result.status === 'running';
  if (!live || !isOpen || result.started_at !== null) return result;
  return { ...result, status: 'running', started_at: live.startedAt };
}

/** The number of equal attempts from which they share an entry. */
const MANY = 3;

/** Folds consecutive failed attempts of the same round and the same error. */
function foldAttempts(entries: Entry[]): Entry[] {
  return runsOf(entries, isSameFailure).flatMap((run) => {
    const [first, ...more] = run.filter(isRetrying);
    if (!first || run.length < MANY) return run;
    const tried: [Retrying, ...Retrying[]] = [first, ...more];
    return { kind: 'attempts', tried, bars: tried.flatMap(({ bars }) => bars) };
  });
}

function isSameFailure(first: Entry, next: Entry): boolean {
  if (!isRetrying(first) || !isRetrying(next)) return false;
  const [{ event: a }, { event: b }] = [first, next];
  return a.round === b.round && a.phase === b.phase && a.error.code === b.error.code;
}

function isRetrying(entry: Entry): entry is Retrying {
  return entry.kind === 'event' && entry.event.type === 'step.retrying';
}
