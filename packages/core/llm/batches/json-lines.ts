import { holdBytes } from '../../bounds/hold-bytes.ts';
import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { exceedsJson, parseJson } from '../../json.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { type Fields, fieldsIn } from '../reply/fields.ts';
import { UnusableReply } from '../unusable-reply.ts';

/** One line of JSON, or the id of a line beyond the limits. */
export type JsonLine = { kind: 'line'; fields: Fields } | { kind: 'too-large'; id: string };

/**
 * Reads each line of JSON. Lines that are no JSON objects are skipped, as are lines beyond the limits without
 * an id at their beginning. A last line that is cut is an `UnusableReply`.
 */
export async function* jsonLines(
  bytes: AsyncIterable<Uint8Array>,
  longest: number = REPLY_BOUNDS.eventBytes,
): AsyncGenerator<JsonLine> {
  const lines = startLines(longest);
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      await yieldToEventLoop();
      yield* lines.end(chunk.subarray(from, end));
      from = end + 1;
    }
    yield* lines.hold(chunk.subarray(from));
  }
  yield* lines.finish();
}

/** Collects the bytes of a line. Each function returns the line that it completes, if any. */
function startLines(longest: number) {
  const held = holdBytes();
  let isSkipped = false;
  const end = (bytes: Uint8Array): JsonLine[] => {
    const line = held.release(bytes);
    const isRead = !isSkipped;
    isSkipped = false;
    return isRead ? readLine(line, longest) : [];
  };
  return {
    end,
    hold(bytes: Uint8Array): JsonLine[] {
      if (isSkipped) return [];
      held.hold(bytes);
      if (held.size() <= longest) return [];
      isSkipped = true;
      return tooLarge(held.release());
    },
    finish(): JsonLine[] {
      if (isSkipped || isBlank(held.held())) return [];
      const last = end(new Uint8Array(0));
      if (last.length === 0) throw new UnusableReply('a cut line at the end of the results');
      return last;
    },
  };
}

const LF = 10;

function readLine(bytes: Uint8Array, longest: number): JsonLine[] {
  if (bytes.length > longest) return tooLarge(bytes);
  const text = Buffer.from(bytes).toString();
  if (exceedsJson(text)) return tooLarge(bytes);
  const fields = fieldsIn(parseJson(text));
  return fields ? [{ kind: 'line', fields }] : [];
}

function isBlank(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, BEGINNING)).toString().trim() === '';
}

const BEGINNING = 1000;

/** The id of a line, alone or after the id that the server gave to the line. */
const ID = /^\s*\{\s*(?:"id"\s*:\s*"[^"\\]*"\s*,\s*)?"custom_id"\s*:\s*"([\w-]{1,64})"/;

function tooLarge(bytes: Uint8Array): JsonLine[] {
  const id = ID.exec(Buffer.from(bytes.subarray(0, BEGINNING)).toString())?.[1];
  return id ? [{ kind: 'too-large', id }] : [];
}
