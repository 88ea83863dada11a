import { ANSWER_BOUNDS } from '../bounds/answer-bounds.ts';

/** Counts the parts of an answer. The sentence names the bound that the answer exceeds, null if it exceeds none. */
export type AnswerCount = {
  informational(): string | null;
  chunk(chunk: Uint8Array): string | null;
  /** Whether other work should run before the next chunk. */
  isPauseDue(): boolean;
};

/** Starts the count for one answer of a host. */
export function countAnswer(host: string): AnswerCount {
  const { informational: most, chunks: mostChunks, bytesPerChunk, chunksAtOnce } = ANSWER_BOUNDS;
  let informational = 0;
  let chunks = 0;
  let bytes = 0;
  return {
    informational: () => {
      informational += 1;
      if (informational <= most) return null;
      return `The answer of ${host} has more than ${written(most)} informational responses (1xx). Send fewer of them.`;
    },
    chunk: ({ length }) => {
      chunks += 1;
      bytes += length;
      if (chunks <= mostChunks + bytes / bytesPerChunk) return null;
      return `The answer of ${host} has more than ${written(mostChunks)} chunks of less than ${bytesPerChunk} bytes. Send larger chunks.`;
    },
    isPauseDue: () => chunks % chunksAtOnce === 0,
  };
}

function written(count: number): string {
  return count.toLocaleString('en');
}
