import { urlBelow } from './http-client.ts';
import { type HttpServer, type HttpWire, requestHeaders } from './http-provider.ts';

/** A server of one of OpenAI's two wires. Its base URL ends in `/v1`, or a function returns it at the first call. */
export type OpenaiServer = HttpServer & { baseUrl: string | (() => Promise<string>) };

/** Returns the targets of a server of OpenAI's wires: for the list of models and for a body. */
export function openaiTargets(
  { apiKey, baseUrl }: OpenaiServer,
  path: string,
): Pick<HttpWire<object>, 'listAt' | 'postAt'> {
  const { urlOf, key } = reachOpenai({ apiKey, baseUrl });
  return {
    listAt: async () => ({ url: await urlOf('/models'), headers: key }),
    postAt: async (request) => ({
      url: await urlOf(path),
      headers: { ...key, 'content-type': 'application/json', ...requestHeaders(request) },
    }),
  };
}

/** Returns how to reach a server: the URL of a path below its base URL, and the headers of each request. */
export function reachOpenai({ apiKey, baseUrl }: Pick<OpenaiServer, 'apiKey' | 'baseUrl'>) {
  return {
    urlOf: async (below: string) => urlBelow(typeof baseUrl === 'string' ? baseUrl : await baseUrl(), below),
    key: { accept: 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
  };
}

/** Adds a hint to the name of the URL's variable if the URL does not end in a version, as most servers require. */
export function withUrlHint<Server extends OpenaiServer>(server: Server): Server {
  const { baseUrl, urlName } = server;
  if (!urlName || typeof baseUrl !== 'string' || /\/v\d+\w*\/*$/.test(new URL(baseUrl).pathname)) return server;
  return { ...server, urlName: `${urlName}, which does not end in /v1` };
}
