/**
 * A fault or a client action that may happen a bounded number of times. The turn never depends on it: it must be
 * able to end from every later state without another fault.
 */
export type Fault =
  /** A worker, the API or the rescuer dies between two of its steps. */
  | 'crash'
  /** A worker stalls for longer than a lease, and wakes. */
  | 'stall'
  /** A run never ends, while its worker keeps renewing its lease. */
  | 'hang'
  /** The queue loses all jobs. */
  | 'flush'
  /** A job is delivered twice, or long after it was done. */
  | 'duplicate'
  /** The queue knows a job id, and never hands the job out. */
  | 'wedge'
  /** The answer to a commit is lost. */
  | 'lostAck'
  /** A job waits, with a worker free, until its turn is late. */
  | 'backlog'
  /** The model cannot answer now, or never will. */
  | 'later'
  | 'definite'
  /** A run has to stop for a deploy. */
  | 'shutdown'
  /** The receiver of a webhook refuses it, and gets it again. */
  | 'refusal'
  /** Actions of callers. */
  | 'cancel'
  | 'retry'
  | 'answer';

/**
 * How often each fault may happen, three times at most. `total` bounds all faults together, except those of a scene.
 */
export type Budget = Partial<Record<Fault | 'total', number>>;

/** Returns how much of the total has been used. */
export function spentOf({ definite, retry, answer, ...others }: Record<Fault, number>): number {
  return Object.values(others).reduce((sum, times) => sum + times, 0);
}

/**
 * Returns whether a fault counts against the total. A final error, its retry and the answer of a client belong to a
 * scene.
 */
export function countsIn(fault: Fault): boolean {
  return fault !== 'definite' && fault !== 'retry' && fault !== 'answer';
}

/** A fault of the small models, or an action in them. */
export type AnyFault =
  | Fault
  /** The provider lacks the capacity for `flex`. The deadline is near, or a job is late. */
  | ('refused' | 'late')
  /** The provider loses a response, or cuts the results of a batch. */
  | 'lose'
  /**
   * A model fails. A treatment, a turn or a round fails permanently. A provider refuses a batch that it has created.
   */
  | 'fail'
  /** The clock of a worker is fast. Postgres loses the commit of a reply. A request for an admission is lost. */
  | ('skew' | 'failover' | 'lostRequest')
  /** Callers start a turn, stored or not, or retry it. They join a turn, or fork it. */
  | ('create' | 'unstored' | 'start' | 'join' | 'fork')
  /** Callers delete a part of the history, a response, a turn (as age does), or a fork. */
  | ('delete' | 'hide' | 'remove' | 'drop')
  /**
   * Callers change a schedule or an expiry, and enable or disable an endpoint. A sweep finds a turn that is too old. An
   * answer changes the form of the next request.
   */
  | ('change' | 'enable' | 'disable' | 'age')
  /** A turn moves to its next step, hands over to a client, or is postponed. Another job takes the batch. */
  | ('step' | 'wait' | 'postpone' | 'job');

/** How often each fault may still happen. */
export type Left = Partial<Record<AnyFault, number>>;
