/** Bounds on the progress that a tool reports while it runs (docs/limits.md). */
export const PROGRESS_BOUNDS = {
  /** Characters of JSON of one report. A larger report is replaced by a note. */
  length: 64 * 1024,
  /** Reports of one call that are passed on at once, and per second after that. Others are left out. */
  burst: 100,
  perSecond: 20,
};
