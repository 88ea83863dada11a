import { createMiddleware } from 'hono/factory';
import type { RequestRefused } from '#core/failure.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import type { ApiKeys } from './api-keys.ts';
import type { ApiEnv } from './router.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Refuses pages of other origins, because a browser would let them act for its user. Without keys, a foreign host
 * name that resolves to this server is refused too: its owner could serve a page that counts as the same origin.
 * Clients other than browsers pass.
 */
export function refuseForeignOrigin(keys: ApiKeys) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const refusal = refusalOfOrigin(keys, c.req.method, (name) => c.req.header(name));
    if (refusal) throw refusal;
    await next();
  });
}

type ReadHeader = (name: string) => string | undefined;

/** Returns the refusal of a request with these headers, or null if its origin may use the API. */
export function refusalOfOrigin(
  keys: Pick<ApiKeys, 'areSet'>,
  method: string,
  header: ReadHeader,
): RequestRefused | null {
  const host = header('host');
  if (!keys.areSet && host !== undefined && !LOOPBACK.test(host)) return refused('host_not_allowed');
  return isForeign(method, header) ? refused('origin_not_allowed') : null;
}

/** `Sec-Fetch-Site` is the best evidence. Browsers without it send at least an `Origin`. */
function isForeign(method: string, header: ReadHeader): boolean {
  const [site, origin] = [header('sec-fetch-site'), header('origin')];
  if (site === 'same-origin' || site === 'none') return false;
  if (origin !== undefined) return !isSame(origin, header('host') ?? '');
  const isLink = header('sec-fetch-mode') === 'navigate' && (method === 'GET' || method === 'HEAD');
  return site !== undefined && !isLink;
}

/** A proxy that terminates TLS changes the scheme of the origin, so only hosts are compared. */
function isSame(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  return (
    page.host !== '' && page.host === host.toLowerCase().replace(page.protocol === 'https:' ? /:443$/ : /:80$/, '')
  );
}
