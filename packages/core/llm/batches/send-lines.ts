/** A body with the lines of a batch, and the error that ended the body. */
export type SentLines = {
  /** The whole body: `before`, the lines with `between`, and `after`. `commit` ends before `after` begins. */
  body: AsyncIterable<Uint8Array>;
  /** The ids of the lines that were read so far, in order. */
  ids: string[];
  /** Rejects with the error of the lines or of `commit`, if such an error has ended the body. */
  unlessBroken<T>(sending: Promise<T>): Promise<T>;
};

/** The bytes around the lines of a body. */
export type Around = { before: string; between: string; after: string };

/** Returns the body of a request with lines. The lines are read while the request is sent. */
export function sendLines(
  lines: AsyncIterable<Uint8Array>,
  { before, between, after }: Around,
  commit: () => Promise<void> = async () => {},
): SentLines {
  const ids: string[] = [];
  let broken: { error: unknown } | null = null;
  const body = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield Buffer.from(before);
      for await (const line of lines) {
        if (ids.length > 0 && between) yield Buffer.from(between);
        ids.push(idOfLine(line));
        yield line;
      }
      await commit();
    } catch (error) {
      broken = { error };
      throw error;
    }
    yield Buffer.from(after);
  };
  return {
    body: body(),
    ids,
    async unlessBroken(sending) {
      try {
        return await sending;
      } catch (error) {
        throw broken ? broken.error : error;
      }
    },
  };
}

/** The longest beginning of a line with its id. */
const BEGINNING = 200;

/** Each line of Pawl begins with its id. */
function idOfLine(line: Uint8Array): string {
  const beginning = Buffer.from(line.subarray(0, BEGINNING)).toString();
  return /^\{"(?:custom_id":|metadata":\{"key":)"([\w-]+)"/.exec(beginning)?.[1] ?? '';
}

/** Returns a line of JSON that begins with its id. `rest` are its other fields. */
export function lineWithId(id: object, rest: object, end = ''): Uint8Array {
  return Buffer.from(`${JSON.stringify({ ...id, ...rest })}${end}`);
}
