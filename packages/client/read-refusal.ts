/** Why a request brought nothing; `status` is null where no answer came at all. */
export type Refusal = {
  status: number | null;
  type: string;
  code: string;
  message: string;
  param: string | null;
  retryable: boolean;
  retryAfterMs: number | null;
  cause?: unknown;
};

/** Passing by themselves: too many requests, a server that restarts, a proxy that does not reach it. */
const PASSING = new Set([408, 429, 502, 503, 504]);

/** Reads an answer that is not 2xx; one that does not come from Pawl gets a sentence too. */
export async function readRefusal(response: Response): Promise<Refusal> {
  const { status, headers } = response;
  const passing = { retryable: PASSING.has(status), retryAfterMs: afterMs(headers.get('retry-after')) };
  const said = errorOf(await response.text());
  if (said) return { status, ...passing, ...said };
  const message = `The answer was ${status}, and not one of Pawl. Check the base URL, and what stands in between.`;
  return { status, ...passing, type: 'server_error', code: 'unexpected_answer', message, param: null };
}

/** Nobody answered, or the answer broke off. */
export function unreachable(baseUrl: string, cause: unknown): Refusal {
  const message = `Pawl does not answer at ${baseUrl}. Check that it runs there.`;
  const passing = { status: null, retryable: true, retryAfterMs: null };
  return { ...passing, type: 'connection_error', code: 'unreachable', message, param: null, cause };
}

type Said = Pick<Refusal, 'type' | 'code' | 'message' | 'param'>;

function errorOf(body: string): Said | undefined {
  try {
    const { type, code, message, param = null } = JSON.parse(body).error;
    return typeof code === 'string' && typeof message === 'string' ? { type, code, message, param } : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds, or a date. */
function afterMs(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
