import type { Frame } from './frame.ts';

/** The last durable events of a turn, kept once for all its streams; a stream further behind reads for itself. */
export type RecentFrames = {
  add(frames: Iterable<Frame>): void;
  /** What comes after a number; undefined where that is not all here. */
  after(number: number): Frame[] | undefined;
};

const BYTES_LIMIT = 256 * 1024;

/** Keeps a row of frames without a gap, of bounded size. */
export function makeRecentFrames(): RecentFrames {
  let frames: Frame[] = [];

  return {
    add: (added) => {
      for (const frame of added) {
        const fits = frames.at(-1)?.number === frame.number - 1;
        frames = fits ? [...frames, frame] : [frame];
      }
      frames = frames.slice(firstThatFits(frames));
    },
    after: (number) => {
      const [first] = frames;
      const last = frames.at(-1);
      if (!first || !last || first.number > number + 1 || last.number <= number) return undefined;
      return frames.slice(number + 1 - first.number);
    },
  };
}

/** The last frame always stays: whoever keeps up must not read for himself. */
function firstThatFits(frames: Frame[]): number {
  let bytes = 0;
  const tooFar = frames.findLastIndex((frame, index) => {
    bytes += frame.bytes.length;
    return bytes > BYTES_LIMIT && index < frames.length - 1;
  });
  return tooFar + 1;
}
