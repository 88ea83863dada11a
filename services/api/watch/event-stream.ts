import type { Following, Sink } from './follow-turn.ts';

/** Bytes a stream may have ready for a reader who has not taken them. */
const ROOM_BYTES = 16 * 1024;

/** A body whose bytes come as fast as they are taken; a reader who goes away is left alone. */
export function eventStream(follow: (sink: Sink) => Following): ReadableStream<Uint8Array> {
  let following: Following | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        following = follow({
          isReady: () => (controller.desiredSize ?? 0) > 0,
          write: (frame) => controller.enqueue(frame),
          end: () => controller.close(),
        });
      },
      pull: () => following?.advance(),
      cancel: () => following?.leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: ROOM_BYTES }),
  );
}
