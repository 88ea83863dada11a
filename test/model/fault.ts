/**
 * What may go wrong, or be done from outside, a bounded number of times. The turn never depends on it: from every state
 * it leads to, the turn must be able to end without more of it.
 */
export type Fault =
  /** A worker, the API or the rescuer dies between two of its steps. */
  | 'crash'
  /** A worker stands still for longer than a lease, and wakes. */
  | 'stall'
  /** A run never ends, while its worker goes on renewing its lease. */
  | 'hang'
  /** The queue loses everything. */
  | 'flush'
  /** A job is handed out a second time, or long after it was done. */
  | 'duplicate'
  /** A job id is known to the queue and never handed out. */
  | 'wedge'
  /** A commit whose answer is lost. */
  | 'lostAck'
  /** A job waits, with a worker free, until its turn is late. */
  | 'backlog'
  /** The model cannot answer now; or never will. */
  | 'later'
  | 'definite'
  /** A run has to stop for a deploy. */
  | 'shutdown'
  /** The receiver of a webhook refuses it, and gets it again. */
  | 'refusal'
  /** What callers do. */
  | 'cancel'
  | 'retry'
  | 'answer';

/** How often each fault may happen, three times at most; `total` bounds all together, but for those of a scene. */
export type Budget = Partial<Record<Fault | 'total', number>>;

/** How much of the total has been used. */
export function spentOf({ definite, retry, answer, ...others }: Record<Fault, number>): number {
  return Object.values(others).reduce((sum, times) => sum + times, 0);
}

/** Whether a fault counts against the total: an error for good, its retry and an outside answer belong to a scene. */
export function countsIn(fault: Fault): boolean {
  return fault !== 'definite' && fault !== 'retry' && fault !== 'answer';
}

/** What may happen in the small models as well, so many times. */
export type AnyFault =
  | Fault
  /** The provider lacks the capacity for `flex`; the deadline is near, or a job comes late. */
  | ('refused' | 'late')
  /** A model fails; a treatment, a turn or a round fails for good. */
  | 'fail'
  /** A clock of a worker is ahead; Postgres loses the commit of a reply; a request for places is lost. */
  | ('skew' | 'failover' | 'lostRequest')
  /** Callers start a turn, or a turn that is not stored; they start or retry a turn; they join one, or fork one. */
  | ('create' | 'unstored' | 'start' | 'join' | 'fork')
  /** Callers delete a part of the history, a response, a turn (as age does), or a fork. */
  | ('delete' | 'hide' | 'remove' | 'drop')
  /** Callers change a schedule or an expiry, and enable or disable an endpoint; a sweep finds a turn too old. */
  | ('change' | 'enable' | 'disable' | 'age')
  /** A turn goes to its next step, to a client, or is postponed; another job takes the batch. */
  | ('step' | 'wait' | 'postpone' | 'job');

/** How often each fault may still happen. */
export type Left = Partial<Record<AnyFault, number>>;
