/**
 * What may go wrong, or be done from outside, a bounded number of times. None of it is counted upon: from wherever it
 * leads, the turn must be able to end without any more of it.
 */
export type Fault =
  /** A worker, the API or the rescuer dies between two of its steps. */
  | 'crash'
  /** A worker stands still for longer than a hold, and wakes. */
  | 'stall'
  /** A run never ends, while its worker goes on beating for it. */
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
  /** A run is told to stop for a deploy. */
  | 'shutdown'
  /** The receiver of a webhook wants it again. */
  | 'refusal'
  /** What callers do. */
  | 'cancel'
  | 'retry'
  | 'answer';

/** How often each fault may happen, three times at most; `total` bounds those that make no scene of their own, all together. */
export type Budget = Partial<Record<Fault | 'total', number>>;

/** How much of the total has been used. */
export function spentOf({ definite, retry, answer, ...others }: Record<Fault, number>): number {
  return Object.values(others).reduce((sum, times) => sum + times, 0);
}

/** Whether a fault counts against the total: an error for good, its retry and an outside answer belong to a scene. */
export function countsIn(fault: Fault): boolean {
  return fault !== 'definite' && fault !== 'retry' && fault !== 'answer';
}
