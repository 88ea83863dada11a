import type { Run, State } from '../state.ts';

/**
 * Returns a text of twelve 16-bit characters. Two states have the same text exactly if the same moves are possible in
 * both. The two workers are alike, so swapping them keeps the text.
 */
export function keyOf(state: State): string {
  const [a, b] = [codesOfRun(state.runs[0]), codesOfRun(state.runs[1])];
  const key = codesOfRows(state) + codesOfFacts(state) + (a < b ? a + b : b + a);
  return state.broken ? `${key}${state.broken}` : key;
}

function codesOfRows({ turn, next, queue, deliveries: { failed, ended }, api }: State): string {
  const where = STATUS[turn.status] | (ON[turn.step] << 3) | (LEASE[turn.lease] << 6) | (DUE[turn.due] << 8);
  const calls = (ONCE[turn.once] << 11) | (OTHER[turn.other] << 13);
  const marks = bit(turn.isEarly, 0) | bit(turn.atHead, 1) | bit(turn.claimed, 2) | bit(turn.expired, 3);
  const behind = (NEXT[next.status] << 4) | (DUE[next.due] << 6) | (JOB[next.job] << 9);
  const jobs = (JOB[queue.now] << 11) | bit(queue.r1, 13) | bit(queue.b1, 14) | bit(queue.r2, 15);
  const first = ROW[failed.row] | bit(failed.sent, 2) | bit(failed.taken, 3);
  const last = (ROW[ended.row] << 4) | bit(ended.sent, 6) | (ON[api.turn] << 13);
  return String.fromCharCode(where | calls, marks | behind | jobs, first | last);
}

function codesOfFacts({ turn, facts, api, used, queue }: State): string {
  const known =
    facts.calls | (facts.events << 2) | (facts.reopened << 6) | (facts.requests << 8) | (KEY[facts.key] << 10);
  const due = bit(api.isNow, 12) | bit(api.next, 15);
  const harm = used.crash | (used.stall << 2) | (used.hang << 4) | (used.flush << 6) | (used.duplicate << 8);
  const more = (used.wedge << 10) | (used.lostAck << 12) | (used.backlog << 14);
  const replies = used.later | (used.definite << 2) | (used.shutdown << 4) | (used.refusal << 6);
  const will =
    (used.cancel << 8) | (used.retry << 10) | (used.answer << 12) | bit(turn.isRaised, 14) | bit(queue.r3, 15);
  return String.fromCharCode(known | due, harm | more, replies | will);
}

function codesOfRun(run: Run): string {
  const where = AT[run.at] | (ON[run.on] << 4) | (KNOWN[run.job] << 7) | (STOP[run.stop] << 9);
  const calls = (CALL[run.once] << 11) | (RUNNING[run.other] << 14);
  const word =
    bit(run.isFresh, 0) | bit(run.isPast, 1) | bit(run.knowsLease, 2) | bit(run.hasLease, 3) | bit(run.claims, 4);
  const knows = bit(run.knew.once, 5) | bit(run.knew.other, 6) | bit(run.made, 7);
  const wrote = bit(run.wrote.once, 8) | bit(run.wrote.other, 12);
  const shape = bit(run.isAsleep, 9) | bit(run.hasSlept, 10) | bit(run.hangs, 11) | bit(run.wakeups.isNow, 13);
  const due = ON[run.wakeups.turn] | bit(run.wakeups.delivers, 3) | bit(run.wakeups.next, 5);
  const saw = (run.saw.events << 6) | bit(run.saw.waiting, 10) | bit(run.saw.alone, 11) | (CACHED[run.cached] << 12);
  const own = run.job === 'gone' ? 0 : JOB_ON[run.jobOn] << 14;
  const after = NEXT_RUN[run.nextRun] << 14;
  return String.fromCharCode(where | calls, word | knows | wrote | shape | own, due | saw | after);
}

function bit(is: boolean, position: number): number {
  return is ? 1 << position : 0;
}

/** Numbers the names in order. */
function code<const Name extends string>(...names: Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;
}

const STATUS = code('queued', 'in_progress', 'requires_action', 'completed', 'failed', 'cancelled');
const ON = code('none', 'r1', 'b1', 'r2', 'failed', 'ended', 'r3');
const LEASE = code('none', 'live', 'expired');
const DUE = code('far', 'near', 'late', 'expiry', 'never', 'null');
const ONCE = code('none', 'ok', 'unknown', 'cancelled');
const OTHER = code('absent', 'able', 'waiting', 'ok', 'cancelled', 'handed');
const JOB = code('none', 'waiting', 'wedged');
const ROW = code('none', 'due', 'leased', 'delivered');
const NEXT = code('absent', 'waiting', 'head', 'done');
const KEY = code('none', 'call', 'run');
const AT = code(
  ...(['idle', 'wants-lease', 'asking', 'saving', 'postponing', 'failing', 'claiming', 'calling'] as const),
  ...(['reloading', 'enqueuing', 'posting', 'leaking', 'handing-over', 'saving-invalid', 'continuing'] as const),
);
const KNOWN = code('now', 'old', 'gone');
const JOB_ON = code('r1', 'b1', 'r2', 'r3');
const NEXT_RUN = code('none', 'leased', 'unleased');
const STOP = code('no', 'lost', 'shutdown');
const CALL = code('none', 'to-claim', 'claimed', 'stale', 'called', 'give-up');
const CACHED = code('none', 'b1', 'r2', 'r2-open');
const RUNNING = code('none', 'running', 'refusing');

/** Copies a state so that the copy may be changed. Parts that are only replaced as a whole are shared. */
export function copyOf({ turn, next, deliveries, queue, api, runs, facts, used, broken }: State): State {
  return {
    turn: { ...turn },
    next: { ...next },
    deliveries: { failed: { ...deliveries.failed }, ended: { ...deliveries.ended } },
    queue: { ...queue },
    api,
    runs: [{ ...runs[0] }, { ...runs[1] }],
    facts: { ...facts },
    used,
    broken,
  };
}
