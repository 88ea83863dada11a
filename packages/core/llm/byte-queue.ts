/** What reads a body; `cancel` ends its connection. A web stream's reader is one, too. */
export type ByteReader = {
  /** The bytes that have come since the last read, or the next ones. */
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
  releaseLock(): void;
};

/** The side that brings the bytes. */
export type ByteQueue = {
  /** Adds a piece; false when the reader is so far behind that the sender should wait for `onRoom`. */
  push(bytes: Uint8Array): boolean;
  end(): void;
  /** Ends with an error behind what has come; with `isUrgent` at once, and what nobody has read is dropped. */
  fail(error: unknown, isUrgent: boolean): void;
  reader: ByteReader;
};

const ENOUGH = 64 * 1024;

/** Bytes on their way from a connection to whoever reads them, without the cost of a stream. */
export function makeByteQueue({ onRoom, onCancel }: { onRoom(): void; onCancel(): void }): ByteQueue {
  const state: State = { pieces: [], size: 0, ending: null, waiting: null };
  const end = (ending: Ending) => {
    state.ending ??= ending;
    wake(state);
  };
  return {
    push(bytes) {
      if (state.ending) return true;
      state.size += bytes.byteLength;
      state.pieces.push(bytes);
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
      releaseLock: () => undefined,
    },
  };
}

type Ending = { kind: 'whole' } | { kind: 'broken'; error: unknown };
type State = {
  pieces: Uint8Array[];
  size: number;
  ending: Ending | null;
  waiting: PromiseWithResolvers<void> | null;
};

function wake(state: State): void {
  state.waiting?.resolve();
  state.waiting = null;
}

async function read(state: State, onRoom: () => void): ReturnType<ByteReader['read']> {
  while (state.pieces.length === 0 && !state.ending) {
    // What else comes in the same moment is read with it: the promise is awaited when all of it is here.
    state.waiting ??= Promise.withResolvers();
    await state.waiting.promise;
  }
  if (state.pieces.length > 0) {
    const wasFull = state.size >= ENOUGH;
    const value = takeAll(state);
    if (wasFull && !state.ending) onRoom();
    return { done: false, value };
  }
  if (state.ending?.kind === 'broken') throw state.ending.error;
  return { done: true };
}

function takeAll(state: State): Uint8Array {
  const { pieces } = state;
  const [first] = pieces;
  state.pieces = [];
  state.size = 0;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}
