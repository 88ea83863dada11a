import { getHeapStatistics } from 'node:v8';

/** What one answer has of the memory that all answers under way in this process may take together. */
export type ReplyShare = {
  /** Counts bytes. Says why the answer has to end, if all answers have too many bytes: large ones end before small ones. */
  take(bytes: number): string | null;
  release(): void;
};

/** Half of the heap is for all answers. Its last quarter is for small ones: a few large ones end first. */
const ALL_BYTES = getHeapStatistics().heap_size_limit / 2;
const LARGE_BYTES = (ALL_BYTES * 3) / 4;
const SMALL_BYTES = ALL_BYTES / 64;

let taken = 0;

/** Nothing taken yet; it must be released when the answer is over. */
export function shareReplies(): ReplyShare {
  let own = 0;
  return {
    take(bytes) {
      own += bytes;
      taken += bytes;
      const isSmall = own <= SMALL_BYTES;
      if (taken <= (isSmall ? ALL_BYTES : LARGE_BYTES)) return null;
      const much = isSmall ? 'more than there is room for' : `more than ${Math.floor(SMALL_BYTES / 1024 / 1024)} MiB`;
      return `${much}, while other answers fill the memory of this worker`;
    },
    release() {
      taken -= own;
      own = 0;
    },
  };
}
