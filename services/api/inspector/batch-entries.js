/**
 * @import { LiveCall } from './live-turn.js'
 * @import { Entry } from './timeline-of.js'
 * @import { Result, Round, Watched } from './watch-turn.js'
 */
import { callBars } from './call-bars.js';

/** A step that was owed for longer than any queue should need: about as long as a lost worker's hold takes to lapse. */
const LONG_WAIT_MS = 4_000;

/**
 * The batch of a round as entries of a timeline: its calls, and a word on a wait for a worker that was long.
 * @param {Round} round
 * @param {(time: string | number) => number} position
 * @param {Pick<Watched, 'events' | 'live'>} watched
 * @returns {Entry[]}
 */
export function batchEntries(round, position, { events, live }) {
  if (round.tool_calls.length === 0) return [];
  const resumedAt = events.flatMap(({ type, created_at: at }) => (type === 'turn.resumed' && at ? [at] : []));
  const calls = round.tool_calls.flatMap((call) => {
    const known = round.results.find(({ tool_call_id: id }) => id === call.id);
    const result = known && asHeard(known, live.calls[call.id]);
    return result
      ? [{ call, result, bars: callBars({ result, owedAt: round.completed_at, resumedAt, position }) }]
      : [];
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
export function isLongWait(from, to) {
  return to - from >= LONG_WAIT_MS;
}

/**
 * A call that was heard to start runs, although nothing of it is committed.
 * @param {Result} result
 * @param {LiveCall | undefined} live
 * @returns {Result}
 */
function asHeard(result, live) {
  const isOpen = result.status === 'pending' || result.status === 'running';
  if (!live || !isOpen || result.started_at !== null) return result;
  return { ...result, status: 'running', started_at: live.startedAt };
}
