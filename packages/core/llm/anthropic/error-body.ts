import { z } from 'zod';

const text = z.string().nullish().catch(null);
const Inner = z.object({
  type: text,
  message: text,
  details: z.object({ error_code: text }).nullish().catch(null),
});
const Outer = z.object({ error: z.union([z.string(), Inner]).nullish().catch(null), message: text, request_id: text });

/** What can be read from an error object of this wire. */
export type ErrorBody = { type: string | null; code: string | null; message: string | null; requestId: string | null };

/** Reads an error body or event; nothing in it is required, since gateways write their own. */
export function readErrorBody(body: unknown): ErrorBody {
  const { data } = Outer.safeParse(typeof body === 'string' ? { message: body } : body);
  const { error } = data ?? {};
  const inner = typeof error === 'string' ? { message: error } : error;
  return {
    type: inner?.type ?? null,
    code: inner?.details?.error_code ?? null,
    message: inner?.message ?? data?.message ?? null,
    requestId: data?.request_id ?? null,
  };
}
