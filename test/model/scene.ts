/** Which turn is played, and under which conditions. */
export type Scene = {
  /**
   * The calls of its batch. `once`: an `at_most_once` one; beside it, `tools`: an idempotent one, `client`: one that a
   * client answers, `approval`: one that a person has to allow, `handed`: one that the caller answers in a later turn.
   * `none`: the first reply is the answer, or hands all of its calls over. `unfit`: each reply is an answer, which may break
   * the output schema of the turn.
   */
  calls: 'none' | 'once' | 'tools' | 'client' | 'approval' | 'handed' | 'unfit';
  /** The turn begins with the batch: it was started with calls of an earlier turn, which a person has allowed. */
  adopts?: boolean;
  /** Another turn waits behind it in the conversation, or may come at any time. */
  next?: 'waits' | 'comes';
  /** The waiting call expires. Where it does not, its answer is sure to come. */
  expires?: boolean;
  /**
   * There is no rescuer, so that what it would only repair late can be seen. The queue is kinder then: a dead run's job
   * comes back once its lease has expired (R11), and a postponed job not before its time.
   */
  rescuerOff?: boolean;
  /** A job is taken at once where a worker is free, even before a lease expires. */
  prompt?: boolean;
  /** A worker continues with each step that it makes due. Else it may, or may enqueue it. */
  continues?: boolean;
  /** There is one worker only. */
  alone?: boolean;
  /** How often the model may be asked for one round. */
  maxRequests?: number;
};
