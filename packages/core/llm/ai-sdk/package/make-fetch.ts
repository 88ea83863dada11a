import type { ByteReader } from '../../http/byte-queue.ts';
import type { HttpAnswer, Post } from '../../http/http-client.ts';
import { limited, readError, refuseForeign } from '../../http/open-reply.ts';
import { boundBody } from './bound-body.ts';

/** Statuses of answers without a body, even without an empty body. */
const WITHOUT_BODY = [204, 205, 304];

/** Headers that are wrong after the answer was unpacked. */
const UNPACKED = ['content-encoding', 'content-length'];

/** Makes a `fetch` over the shared connections and their limits. Requests without a text body use `others`. */
export function makeFetch(post: Post, others: typeof fetch = fetch): typeof fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body = '' } = init;
    const isPlain = (method === 'POST' && typeof body === 'string') || (method === 'GET' && !body);
    if (input instanceof Request || !isPlain) return asResponse(answerOf(await others(input, init)));
    const answer = await post({
      url: String(input),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: String(body),
      ...(init.signal ? { signal: init.signal } : {}),
    });
    return asResponse(answer);
  };
}

type Answer = Pick<HttpAnswer, 'status' | 'fields' | 'body'>;

function answerOf({ status, headers, body }: Response): Answer {
  const reader = (body ?? new Blob([]).stream()).getReader();
  const read = async () => reader.read();
  return { status, fields: () => [...headers], body: { read, cancel: async () => reader.cancel() } };
}

async function asResponse({ status, fields, body }: Answer): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of fields()) if (!UNPACKED.includes(name)) headers.append(name, value);
  const known = Math.min(status, 599);
  if (WITHOUT_BODY.includes(known)) return new Response(null, { status: known, headers });
  const isGood = status >= 200 && status <= 299;
  if (isGood) await refuseForeign(headers, body);
  return new Response(isGood ? streamOf(limited(body)) : await readError(body), { status: known, headers });
}

function streamOf(reader: ByteReader): ReadableStream<Uint8Array> {
  const pieces = boundBody(reader);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    // Cancels the reader, since the pieces would wait for the next piece.
    async cancel() {
      await reader.cancel();
    },
  });
}
