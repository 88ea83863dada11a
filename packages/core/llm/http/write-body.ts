import { yieldToEventLoop } from '../../yield-to-event-loop.ts';

/** The characters of JSON to encode at once. A piece may exceed this by one item of a list. */
const PIECE = 64 * 1024;

/** Writes a body as JSON in UTF-8, in pieces, since a long history would block the event loop for a second. */
export async function writeBody(body: object): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of partsOf(body)) {
    text += part;
    if (text.length < PIECE) continue;
    await yieldToEventLoop();
    pieces.push(Buffer.from(text));
    text = '';
  }
  const last = Buffer.from(text);
  return pieces.length > 0 ? Buffer.concat([...pieces, last]) : last;
}

function* partsOf(body: object): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (Array.isArray(value)) yield* partsOfList(value);
    else yield JSON.stringify(value);
  }
  yield before === '{' ? '{}' : '}';
}

function* partsOfList(items: unknown[]): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + (JSON.stringify(item) ?? 'null');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
