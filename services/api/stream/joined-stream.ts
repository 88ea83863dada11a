import type { RequestRefused } from '#core/failure.ts';
import type { TurnWatch } from './turn-watch.ts';

/** Where a stream writes, one message at a time. Only its last message may be written while it is not ready. */
export type Sink = { isReady(): boolean; write(message: Uint8Array): void; end(): void };

/** A stream that follows a turn: `advance` when the sink has room again, `leave` when its client is gone. */
export type EventStream = { advance(): void; leave(): void };

/** A stream that has joined a watch, as what tells the turn sees it. An empty message is not written. */
export type JoinedStream = {
  hasRoom(): boolean;
  write(message: string | Uint8Array): void;
  end(lastMessage?: string | Uint8Array): void;
};

/** How a turn is told to one stream. */
export type Telling = {
  /** Tells what is known, as far as there is room. A promise: something has to be read first, then it is called again. */
  tell(): Promise<void> | undefined;
  heartbeat: string | Uint8Array;
  /** The last message of a stream that cannot go on. */
  refusal(refused: Pick<RequestRefused, 'code' | 'message'>): string | Uint8Array;
  /** The last message of a stream that this process ends, for it stops; none where that says enough. */
  farewell?: Uint8Array;
};

/**
 * Joins the watch of a turn with a stream to a sink, until its end is told or its client has left. It tells one thing at a
 * time: what happens while it reads is told after that.
 */
export function joinWatch(watch: TurnWatch, sink: Sink, begin: (stream: JoinedStream) => Telling): EventStream {
  let phase: 'idle' | 'telling' | 'over' = 'idle';
  let leaveWatch = () => {};

  const hasRoom = () => phase !== 'over' && sink.isReady();
  function write(message: string | Uint8Array): void {
    if (message.length > 0) sink.write(typeof message === 'string' ? Buffer.from(message) : message);
  }
  function leave(): void {
    phase = 'over';
    leaveWatch();
  }
  function end(lastMessage: string | Uint8Array = ''): void {
    if (phase === 'over') return;
    write(lastMessage);
    leave();
    sink.end();
  }
  const { tell, heartbeat, refusal, farewell } = begin({ hasRoom, write, end });
  async function advance(): Promise<void> {
    if (phase !== 'idle') return;
    phase = 'telling';
    try {
      for (let reading = tell(); reading; reading = tell()) await reading;
    } catch (error) {
      watch.readLater(error);
    } finally {
      if (phase === 'telling') phase = 'idle';
    }
  }
  leaveWatch = watch.addStream({
    advance: () => void advance(),
    beat: () => hasRoom() && write(heartbeat),
    end: () => end(farewell),
    refuse: (refused) => end(refusal(refused)),
  });
  return { advance: () => void advance(), leave };
}
