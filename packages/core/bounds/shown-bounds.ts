/** Bounds on the parts of a turn that an answer shows (docs/limits.md). */
export const SHOWN_BOUNDS = {
  /**
   * Bytes of the texts of all results in a turn, or in the list of its rounds. `GET …/tool_outputs/:call_id` has each
   * whole text.
   */
  resultBytes: 4 * 1024 * 1024,
};
