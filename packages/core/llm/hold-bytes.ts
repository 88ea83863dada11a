/** Bytes that wait for what completes them, in one growing piece: a list of a million small ones would weigh far more. */
export type HeldBytes = {
  size(): number;
  hold(piece: Uint8Array): void;
  /** All that is held, and `piece` behind it; nothing is held after that. */
  release(piece: Uint8Array): Uint8Array;
};

const FIRST = 4096;

/** Nothing yet. */
export function holdBytes(): HeldBytes {
  let bytes = new Uint8Array(0);
  let size = 0;
  const hold = (piece: Uint8Array) => {
    if (size + piece.length > bytes.length) {
      const larger = new Uint8Array(Math.max(FIRST, size + piece.length, bytes.length * 2));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(piece, size);
    size += piece.length;
  };
  return {
    size: () => size,
    hold,
    release(piece) {
      if (size === 0) return piece;
      hold(piece);
      const all = bytes.subarray(0, size);
      bytes = new Uint8Array(0);
      size = 0;
      return all;
    },
  };
}
