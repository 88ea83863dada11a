import { Refused } from './api.js';

/** Nothing that asking again would mend by itself. */
const BROKEN = 422;

/**
 * Reads server-sent events from a body, whatever pieces it comes in; each is the JSON of its `data`.
 * Throws where it is none.
 * @template Event
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {AsyncGenerator<Event>}
 */
export async function* readSse(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const blocks = (rest + piece.value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = dataOf(block);
        if (data !== '') yield parse(data);
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @param {string} data */
function parse(data) {
  try {
    return JSON.parse(data);
  } catch {
    throw new Refused(BROKEN, "An event of the stream is no JSON. Is it Pawl's API that answers here, or a proxy?");
  }
}

/** @param {string} block */
function dataOf(block) {
  return block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
}
