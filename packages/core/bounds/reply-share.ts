import { getHeapStatistics } from 'node:v8';

/** Half of the heap is for all answers. Its last quarter is for small ones: a few large ones end first. */
const ALL_BYTES = getHeapStatistics().heap_size_limit / 2;
const LARGE_BYTES = (ALL_BYTES * 3) / 4;
const SMALL_BYTES = ALL_BYTES / 64;

let taken = 0;

/** Counts what one answer takes of the memory of all; it must be released when the answer is over. */
export function shareReplies() {
  let own = 0;
  return {
    /** Counts bytes. Says why the answer has to end, if all answers have too many: large ones end before small ones. */
    take(bytes: number): string | null {
      own += bytes;
      taken += bytes;
      const isSmall = own <= SMALL_BYTES;
      if (taken <= (isSmall ? ALL_BYTES : LARGE_BYTES)) return null;
      const much = isSmall ? 'more than there is room for' : `more than ${Math.floor(SMALL_BYTES / 1024 / 1024)} MiB`;
      return `${much}, while other answers fill the memory of this worker`;
    },
    release(): void {
      taken -= own;
      own = 0;
    },
  };
}
