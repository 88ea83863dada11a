const FIRST_BYTES = 4096;

/** Collects at most `maxBytes` of a body, whatever the size of its pieces, and reads them as UTF-8. */
export function boundedText(maxBytes: number): {
  /** Takes a piece; false once there was more than fits. */
  add(piece: Uint8Array): boolean;
  /** What was taken so far; a character that the bound cut in two is left out. */
  read(): { body: string; truncated: boolean };
} {
  let bytes = new Uint8Array(Math.min(FIRST_BYTES, maxBytes));
  let length = 0;
  let truncated = false;
  return {
    add(piece) {
      const part = piece.subarray(0, maxBytes - length);
      if (length + part.length > bytes.length) bytes = grown(bytes, length + part.length, maxBytes);
      bytes.set(part, length);
      length += part.length;
      truncated ||= part.length < piece.length;
      return !truncated;
    },
    read() {
      return { body: new TextDecoder().decode(bytes.subarray(0, length), { stream: truncated }), truncated };
    },
  };
}

/** One growing buffer, not a list: a million one-byte pieces would weigh a hundred times their content. */
function grown(bytes: Uint8Array, needed: number, maxBytes: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, bytes.length * 2)));
  larger.set(bytes);
  return larger;
}
