/** Bytes that wait for the rest, in one growing buffer: a list of a million small chunks would use far more memory. */
export type HeldBytes = {
  size(): number;
  /** Returns the held bytes. They are valid until the next call. */
  held(): Uint8Array;
  hold(chunk: Uint8Array): void;
  /** Returns all held bytes, and `chunk` after them. Then holds no bytes. */
  release(chunk?: Uint8Array): Uint8Array;
};

const FIRST = 4096;
const NOTHING = new Uint8Array(0);

export function holdBytes(): HeldBytes {
  let bytes = NOTHING;
  let size = 0;
  const hold = (chunk: Uint8Array) => {
    if (size + chunk.length > bytes.length) {
      const larger = new Uint8Array(Math.max(FIRST, size + chunk.length, bytes.length * 2));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(chunk, size);
    size += chunk.length;
  };
  return {
    size: () => size,
    held: () => bytes.subarray(0, size),
    hold,
    release(chunk = NOTHING) {
      if (size === 0) return chunk;
      hold(chunk);
      const all = bytes.subarray(0, size);
      bytes = NOTHING;
      size = 0;
      return all;
    },
  };
}
