import type { ByteReader } from './byte-queue.ts';

/** A body piece by piece, nothing where there is none; who stops early leaves it. */
export async function* piecesOf(reader: ByteReader | undefined): AsyncGenerator<Uint8Array> {
  if (!reader) return;
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
