import type { ByteReader } from '../../http/byte-queue.ts';
import type { HttpAnswer, Post } from '../../http/http-client.ts';
import { limited } from '../../http/open-reply.ts';

/** Statuses whose answers have no body, not even an empty one. */
const WITHOUT_BODY = [204, 205, 304];

/** What was changed when the answer was unpacked. */
const UNPACKED = ['content-encoding', 'content-length'];

/**
 * A `fetch` over the connections that all providers share, with their limits: no redirect to elsewhere, answers of a
 * bounded size. A request that is no text, as uploads are, goes through `others`.
 */
export function makeFetch(post: Post, others: typeof fetch = fetch): typeof fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body = '' } = init;
    const isPlain = (method === 'POST' && typeof body === 'string') || (method === 'GET' && !body);
    if (input instanceof Request || !isPlain) return others(input, init);
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

function asResponse({ status, fields, body }: HttpAnswer): Response {
  const headers = new Headers();
  for (const [name, value] of fields()) if (!UNPACKED.includes(name)) headers.append(name, value);
  const known = Math.min(status, 599);
  return new Response(WITHOUT_BODY.includes(known) ? null : streamOf(limited(body)), { status: known, headers });
}

function streamOf(reader: ByteReader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else if (value) controller.enqueue(value);
    },
    async cancel() {
      await reader.cancel();
    },
  });
}
