/** The turn that a scene plays, and its conditions. */
export type Scene = {
  /**
   * The calls of its batch. `once`: an `at_most_once` call. Beside it, `tools`: an idempotent call, `client`: a call
   * that a client answers, `approval`: a call that a person must allow, `handed`: a call that the caller answers in a
   * later turn. `none`: the first reply is the answer, or hands all of its calls over. `invalid`: each reply is an
   * answer, which may break the output schema of the turn.
   */
  calls: 'none' | 'once' | 'tools' | 'client' | 'approval' | 'handed' | 'invalid';
  /** The turn begins with the batch: it adopts calls of an earlier turn that a person has allowed. */
  adopts?: boolean;
  /** Another turn waits after it in the conversation, or may be created at any time. */
  next?: 'waits' | 'comes';
  /** The waiting call expires. If it does not, its answer is certain to arrive. */
  expires?: boolean;
  /**
   * Without a rescuer, a scene shows a lack that a rescue would repair late. The queue is more orderly then: a dead
   * run's job returns after its lease has expired (R11), and a postponed job not before its time.
   */
  rescuerOff?: boolean;
  /** A free worker takes a job at once, even before a lease expires. */
  prompt?: boolean;
  /** A worker continues with each step that it makes due. By default it may continue or enqueue. */
  continues?: boolean;
  alone?: boolean;
  /** How often a run may ask the model for one round. */
  maxRequests?: number;
};
