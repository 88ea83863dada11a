/** Reads a body. `cancel` abandons the rest of the body. */
export type ByteReader = {
  /** Returns all bytes since the last read, or waits for the next bytes. */
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
};

/** The writing side of a queue of bytes. */
export type ByteQueue = {
  /** Adds a chunk. Returns false if the queue is full, so that the sender should wait for `onRoom`. */
  push(bytes: Uint8Array): boolean;
  end(): void;
  /** Ends with an error after the received bytes. With `isUrgent` it ends at once and drops unread bytes. */
  fail(error: unknown, isUrgent: boolean): void;
  reader: ByteReader;
};

const ENOUGH = 64 * 1024;

/** Makes a queue from a connection to its reader, without the cost of a stream. */
export function makeByteQueue({ onRoom, onCancel }: { onRoom(): void; onCancel(): void }): ByteQueue {
  const state: State = { chunks: [], size: 0, ending: null, waiting: null };
  const end = (ending: Ending) => {
    state.ending ??= ending;
    wake(state);
  };
  return {
    push(bytes) {
      if (state.ending) return true;
      state.size += bytes.byteLength;
      state.chunks.push(bytes);
      wake(state);
      return state.size < ENOUGH;
    },
    end: () => end({ kind: 'whole' }),
    fail(error, isUrgent) {
      if (isUrgent) takeAll(state);
      end({ kind: 'broken', error });
    },
    reader: {
      read: () => read(state, onRoom),
      async cancel() {
        takeAll(state);
        end({ kind: 'whole' });
        onCancel();
      },
    },
  };
}

/** Yields a body chunk by chunk. A consumer that stops early cancels it. */
export async function* chunksOf(reader: ByteReader): AsyncGenerator<Uint8Array> {
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      if (value) yield value;
    }
  } finally {
    if (!isOver) await reader.cancel();
  }
}

type Ending = { kind: 'whole' } | { kind: 'broken'; error: unknown };
type State = {
  chunks: Uint8Array[];
  size: number;
  ending: Ending | null;
  waiting: PromiseWithResolvers<void> | null;
};

function wake(state: State): void {
  state.waiting?.resolve();
  state.waiting = null;
}

async function read(state: State, onRoom: () => void): ReturnType<ByteReader['read']> {
  while (state.chunks.length === 0 && !state.ending) {
    // Other bytes of the same moment are read too, since the promise resolves after their arrival.
    state.waiting ??= Promise.withResolvers();
    await state.waiting.promise;
  }
  if (state.chunks.length > 0) {
    const wasFull = state.size >= ENOUGH;
    const value = takeAll(state);
    if (wasFull && !state.ending) onRoom();
    return { done: false, value };
  }
  if (state.ending?.kind === 'broken') throw state.ending.error;
  return { done: true };
}

function takeAll(state: State): Uint8Array {
  const { chunks } = state;
  const [first] = chunks;
  state.chunks = [];
  state.size = 0;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}
