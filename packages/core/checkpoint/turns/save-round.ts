import { newId } from '../../id.ts';
import { withoutNulls } from '../../postgres/row-set.ts';
import type { Violation } from '../../turn/output/violation.ts';
import type { Subscription } from '../../turn/request/webhook.ts';
import type { WaitsFor } from '../../turn/turn.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import { columnsOfRound, type LastRound } from '../sql/rounds/insert-round.ts';
import type { NewCall } from '../sql/rounds/new-calls.ts';
import { dueWakeups } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';
import { type SavedRow, writeReply, writeReplyLean } from './commits/write-reply.ts';

/** A reply that does not end its turn, before its commit. */
type MiddleReply = Omit<LastRound, 'calls' | 'violations'> & {
  turnId: string;
  /** All of the turn's warnings so far. */
  warnings: string[];
  /** The turn's own subscription, so that the statement need not read the configuration. */
  webhook: Subscription | null;
  /** The run that continues with the next step, unless the turn waits (R3). Null: the step goes through the queue. */
  nextRun?: string | null;
  /**
   * True if an endpoint of the project may want the turn's events (R16). False if the run has seen no such endpoint.
   */
  hasEndpoints?: boolean;
};

export type NewRound = MiddleReply & { calls: NewCall[] };

/**
 * The wakeups of a commit, and the number of inputs that had joined the turn. Inputs that its run has not loaded are
 * sent next (R29).
 */
export type Saved = { wakeups: Wakeup[]; inputs: number };

/**
 * Saves a reply with its calls in one statement. Its batch is due, or the turn waits if every open call waits for an
 * external answer. Calls with known results are answered in the same statement, so no worker ever finds them open
 * (R38). If no call is open, the next round is due. The first write wins (R5, R18, R24), and its usage is recorded
 * with it (R33). Returns null if no row was written.
 */
export async function saveRound(db: Db, round: NewRound): Promise<Saved | null> {
  // If an endpoint was enabled in between, the lean statement writes no row and the full statement decides.
  const [lean] = mayBeLean(round) ? await writeReplyLean(db, { ...rowOfReply(round), eventId: newId('evt') }) : [];
  return savedBy(lean ?? (await writeReply(db, rowOfRound(round)))[0]);
}

/**
 * Saves an answer that breaks the output schema, in one statement. The repair round is due at once, without a batch
 * in between (R25). Returns null if no row was written.
 */
export async function saveInvalidAnswer(
  db: Db,
  { violations, ...answer }: MiddleReply & { violations: Violation[] },
): Promise<Saved | null> {
  const row = { ...rowOfRound({ ...answer, calls: [] }), violations };
  return savedBy((await writeReply(db, row))[0]);
}

/**
 * Saves a superseded answer as a middle round, in the same way, since an input has joined that no round has sent. The
 * next round is due and sends that input (R30). Returns null if no row was written, or if no input had joined.
 */
export async function saveSupersededAnswer(db: Db, answer: MiddleReply): Promise<Saved | null> {
  const row = { ...rowOfRound({ ...answer, calls: [] }), onlySuperseded: true };
  return savedBy((await writeReply(db, row))[0]);
}

/**
 * Returns whether a reply fits the lean form: no subscriber is known, and no call waits or has a result. The lean
 * statement does not count waiting calls, without which no later answer finds that all open calls wait (R15).
 */
function mayBeLean({ webhook, hasEndpoints, calls }: NewRound): boolean {
  const hasNoSubscribers = webhook === null && hasEndpoints === false;
  return hasNoSubscribers && calls.length > 0 && calls.every(({ waitsFor, result }) => waitsFor === null && !result);
}

function savedBy(row: SavedRow | undefined): Saved | null {
  return row ? { wakeups: dueWakeups(row), inputs: row.inputs } : null;
}

function rowOfReply({ turnId, warnings, calls, nextRun = null, ...round }: NewRound) {
  const open = calls.filter((call) => !call.result);
  return {
    ...columnsOfRound({ ...round, calls }),
    ...{ turnId, warnings, nextRun, calls: calls.map(withoutNulls), text: round.reply.text, openCalls: open.length },
  };
}

function rowOfRound(round: NewRound) {
  const { calls, webhook, nextRun = null } = round;
  const open = calls.filter((call) => !call.result);
  const waiting = open.filter((call) => call.waitsFor !== null);
  const waits = open.length > 0 && waiting.length === open.length;
  const expiring = waiting.flatMap(({ expiresInSeconds }) => expiresInSeconds ?? []);
  const answered = calls.flatMap(({ result }, index) => (result && result.status !== 'handed_over' ? [index] : []));
  return {
    ...rowOfReply(round),
    ...{ webhook, waits, answered, nextRun: waits ? null : nextRun },
    waitingCalls: waiting.length,
    expiresIn: expiring.length > 0 ? Math.min(...expiring) : null,
    waiting: { outputs: indexesOf(calls, 'output'), approvals: indexesOf(calls, 'approval') },
    onlySuperseded: false,
    eventIds: Array.from({ length: 1 + answered.length + (waits ? 1 : 0) }, () => newId('evt')),
  };
}

/** Returns the indexes of the calls that wait for this answer, for the data of `turn.requires_action`. */
function indexesOf(calls: NewCall[], waitsFor: WaitsFor): number[] {
  return calls.flatMap((call, index) => (call.waitsFor === waitsFor ? [index] : []));
}
