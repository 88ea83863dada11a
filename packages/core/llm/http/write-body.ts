import { yieldToEventLoop } from '../../yield-to-event-loop.ts';

/** Characters of JSON that become bytes together. */
const PIECE = 64 * 1024;

/**
 * Writes the body of a request as JSON.stringify does, in UTF-8, but one item of a list after the other. The event loop runs in
 * between, since the whole of a long history keeps it busy for a second.
 */
export async function writeBody(body: object): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let text = '';
  const write = (more: string) => {
    text += more;
    if (text.length < PIECE) return;
    pieces.push(Buffer.from(text));
    text = '';
  };
  let before = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    write(`${before}${JSON.stringify(name)}:`);
    before = ',';
    if (Array.isArray(value)) await writeList(value, write);
    else write(JSON.stringify(value));
  }
  pieces.push(Buffer.from(before === '{' ? '{}' : `${text}}`));
  return Buffer.concat(pieces);
}

async function writeList(items: unknown[], write: (text: string) => void): Promise<void> {
  let before = '[';
  for (const item of items) {
    await yieldToEventLoop();
    write(before);
    write(JSON.stringify(item) ?? 'null');
    before = ',';
  }
  write(before === '[' ? '[]' : ']');
}
