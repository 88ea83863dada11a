import { z } from 'zod';

const text = z.string().nullish().catch(null);

const Shape = z.object({
  message: z.unknown().optional(),
  detail: z.unknown().optional(),
  error: z.unknown().optional(),
  metadata: z.object({ raw: text }).nullish().catch(null),
  type: text,
  code: z.union([z.string(), z.number()]).nullish().catch(null),
  status: z.union([z.string(), z.number()]).nullish().catch(null),
  status_code: z.number().nullish().catch(null),
});

/** What can be read from an error object, whichever server made it. */
export type ErrorBody = { status: number | null; code: string | null; type: string | null; message: string | null };

/** Reads an error object in any of the shapes met so far; nothing in it is required. */
export function readErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') return { status: null, code: null, type: null, message: body };
  const { data } = Shape.safeParse(body);
  if (!data) return { status: null, code: null, type: null, message: null };
  const { code } = data;
  return {
    status: data.status_code ?? statusIn(data.status) ?? statusIn(code),
    code: typeof code === 'string' && statusIn(code) === null ? code : null,
    type: data.type ?? null,
    message: messageOf(data),
  };
}

function messageOf({ message, detail, error, metadata }: z.infer<typeof Shape>): string | null {
  const said = message ?? detail ?? error;
  if (said === undefined || said === null) return null;
  const plain = typeof said === 'string' ? said : JSON.stringify(said);
  // OpenRouter's own message is the same for every failure; what happened upstream stands beside it.
  return metadata?.raw ? `${plain}: ${metadata.raw}` : plain;
}

/** Some servers put the HTTP status where the code belongs, as a number or as text. */
function statusIn(value: string | number | null | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isInteger(number) && number >= 400 && number <= 599 ? number : null;
}
