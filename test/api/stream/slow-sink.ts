import type { EventStream, Sink } from '#services/api/stream/joined-stream.ts';

/**
 * Opens a client that does not read until `readToEnd`, with room for so many bytes. `open` starts its stream.
 * `Received` is the content of a frame.
 */
export function openSlowSink<Received>(roomBytes: number, open: (sink: Sink) => EventStream) {
  const frames: string[] = [];
  const waiting = () => frames.reduce((sum, frame) => sum + frame.length, 0);
  let isOver = false;
  let look = () => {};
  const following = open({
    isReady: () => waiting() < roomBytes,
    write: (frame) => {
      frames.push(Buffer.from(frame).toString());
      look();
    },
    end: () => {
      isOver = true;
      look();
    },
  });
  return {
    waiting,
    readToEnd: async (): Promise<Received[]> => {
      const received: Received[] = [];
      for (;;) {
        following.advance();
        const data = frames.shift()?.match(/^data: (\{.*\})$/m)?.[1];
        if (data) received.push(JSON.parse(data));
        else if (isOver && frames.length === 0) return received;
        else if (frames.length === 0) {
          await new Promise<void>((resolve) => {
            look = resolve;
          });
        }
      }
    },
  };
}
