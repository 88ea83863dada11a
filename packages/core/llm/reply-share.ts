import { getHeapStatistics } from 'node:v8';
import { UnusableReply } from './reply-limits.ts';

/** What one answer has of the memory that all answers under way in this process may take together. */
export type ReplyShare = {
  /** Counts bytes; an `UnusableReply` where all have too many and this one more than its part of them. */
  take(bytes: number): void;
  release(): void;
};

/** Half of the heap, of which each of as many answers as a worker usually reads at a time has a part for sure. */
const ALL_BYTES = getHeapStatistics().heap_size_limit / 2;
const OWN_BYTES = ALL_BYTES / 64;

let taken = 0;

/** Nothing taken yet; it must be released when the answer is over. */
export function shareReplies(): ReplyShare {
  let own = 0;
  return {
    take(bytes) {
      own += bytes;
      taken += bytes;
      if (taken <= ALL_BYTES || own <= OWN_BYTES) return;
      const mebibytes = Math.floor(OWN_BYTES / 1024 / 1024);
      throw new UnusableReply(`more than ${mebibytes} MiB, while other answers fill the memory of this worker`);
    },
    release() {
      taken -= own;
      own = 0;
    },
  };
}
