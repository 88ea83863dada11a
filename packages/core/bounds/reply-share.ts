import { getHeapStatistics } from 'node:v8';

/**
 * The memory of all answers: half of the heap. Its last quarter is for small answers, so that a few large answers end
 * first.
 */
const ALL_BYTES = getHeapStatistics().heap_size_limit / 2;
const LARGE_BYTES = (ALL_BYTES * 3) / 4;
const SMALL_BYTES = ALL_BYTES / 64;

let taken = 0;

/** Counts the memory of an answer. The caller must release it after the answer. */
export function shareReplies() {
  let own = 0;
  return {
    /**
     * Counts bytes. If all answers use too many, returns why this answer has to end: large answers end before small
     * answers.
     */
    take(bytes: number): string | null {
      own += bytes;
      taken += bytes;
      const isSmall = own <= SMALL_BYTES;
      if (taken <= (isSmall ? ALL_BYTES : LARGE_BYTES)) return null;
      const much = isSmall
        ? 'more than the available memory'
        : `more than ${Math.floor(SMALL_BYTES / 1024 / 1024)} MiB`;
      return `${much}, while other answers fill the memory of this worker`;
    },
    release(): void {
      taken -= own;
      own = 0;
    },
  };
}
