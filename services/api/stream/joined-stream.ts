import type { RequestRefused } from '#core/failure.ts';
import type { TurnWatch } from './turn-watch.ts';

/**
 * The sink of a stream, which takes a message at a time. Only the last message may be written while the sink is not
 * ready.
 */
export type Sink = { isReady(): boolean; write(message: Uint8Array): void; end(): void };

/**
 * A stream that follows a turn. `advance` is called when the sink has room again, and `leave` when its client has
 * disconnected.
 */
export type EventStream = { advance(): void; leave(): void };

/** A stream that has joined a watch, as seen by the function that sends the turn. An empty message is not written. */
export type JoinedStream = {
  hasRoom(): boolean;
  write(message: string | Uint8Array): void;
  end(lastMessage?: string | Uint8Array): void;
};

/** How a turn is sent to a stream. */
export type Sending = {
  /**
   * Sends the known messages, as far as there is room. It returns a promise if a read is needed first, and is then
   * called again.
   */
  send(): Promise<void> | undefined;
  heartbeat: string | Uint8Array;
  /** Returns the last message of a stream that cannot continue. */
  refusal(refused: Pick<RequestRefused, 'code' | 'message'>): string | Uint8Array;
  /**
   * The last message of a stream that ends because this process stops. Absent if the end is clear without a message.
   */
  farewell?: Uint8Array;
};

/**
 * Joins a stream to the watch of a turn, until the end of the turn is sent or its client has disconnected. It sends
 * sequentially: events that happen during a read are sent afterwards.
 */
export function joinWatch(watch: TurnWatch, sink: Sink, begin: (stream: JoinedStream) => Sending): EventStream {
  let phase: 'idle' | 'sending' | 'over' = 'idle';
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
  const { send, heartbeat, refusal, farewell } = begin({ hasRoom, write, end });
  async function advance(): Promise<void> {
    if (phase !== 'idle') return;
    phase = 'sending';
    try {
      for (let reading = send(); reading; reading = send()) await reading;
    } catch (error) {
      watch.readLater(error);
    } finally {
      if (phase === 'sending') phase = 'idle';
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
