import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher, fetch, Pool, ProxyAgent } from 'undici';
import { Misconfigured } from './failure.ts';

type Env = Record<string, string | undefined>;

/** A function that returns the forward proxy for a request to a URL, or null for a direct request. */
export type ProxyOf = (url: URL) => URL | null;

export const withoutProxy: ProxyOf = () => null;

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. A name in lower case has priority. `HTTP_PROXY` also serves https
 * if there is no other. This machine (`localhost`, 127.0.0.0/8, `::1`) is always reached directly. Throws
 * Misconfigured.
 */
export function readProxies(env: Env): ProxyOf {
  const http = readProxy(env, 'HTTP_PROXY');
  const https = readProxy(env, 'HTTPS_PROXY') ?? http;
  const exceptions = (given(env, 'NO_PROXY')?.value ?? '').split(/[,\s]+/).filter(Boolean);
  if (!http && !https) return withoutProxy;
  return (url) => (isOwn(url) || exceptions.some((entry) => covers(entry, url)) ? null : proxyFor(url));

  function proxyFor({ protocol }: URL): URL | null {
    return protocol === 'https:' ? https : http;
  }
}

function readProxy(env: Env, name: string): URL | null {
  const found = given(env, name);
  if (!found) return null;
  const url = URL.parse(found.value.includes('://') ? found.value : `http://${found.value}`);
  if (url && /^https?:$/.test(url.protocol) && url.hostname && !/%(?![0-9a-f]{2})/i.test(url.password)) return url;
  throw new Misconfigured(`${found.name} is not a supported proxy. Give a URL such as http://proxy.internal:3128.`);
}

/** Returns the passwords of the proxies, as given and decoded. */
export function passwordsOfProxies(env: Env): string[] {
  const passwords = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) => readProxy(env, name)?.password ?? '');
  return passwords.flatMap((password) => [password, decodeURIComponent(password)]);
}

function given(env: Env, name: string): { name: string; value: string } | null {
  const found = [name.toLowerCase(), name].find((each) => env[each]?.trim());
  return found ? { name: found, value: env[found]?.trim() ?? '' } : null;
}

function isOwn(url: URL): boolean {
  const host = hostOf(url);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/**
 * Returns whether an entry covers a URL. Entries are `*`, `host`, `.suffix`, `*.suffix`, an address or a network of
 * addresses, each with or without `:port`.
 */
function covers(entry: string, url: URL): boolean {
  const host = hostOf(url);
  const { name = '', port } =
    /^(?<name>\[[^\]]*\](?:\/\d+)?|[^:]*|.*:.*:.*?)(?::(?<port>\d+))?$/.exec(entry)?.groups ?? {};
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  if (name === '*') return true;
  const plain = name.toLowerCase().replace(/[[\]]/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return isWithin(host, plain);
  const suffix = plain.replace(/^\*?\./, '');
  return host.endsWith(`.${suffix}`) || (host === suffix && !plain.startsWith('*'));
}

function isWithin(host: string, range: string): boolean {
  const address = ipaddr.process(host);
  if (ipaddr.isValid(range)) return ipaddr.process(range).toString() === address.toString();
  if (!ipaddr.isValidCIDR(range)) return false;
  const [base, bits] = ipaddr.parseCIDR(range);
  return base.kind() === address.kind() && address.match(base, bits);
}

function hostOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/[[\]]/g, '').replace(/\.$/, '');
}

/** Connections that are reused until `destroy` ends them. */
export type Connections = Pick<Dispatcher, 'dispatch'> & { destroy(): Promise<void> };

/**
 * Opens connections with undici's `options`. They use the proxy by CONNECT for https, and by a request with the whole
 * URL for http.
 */
export function openConnections(proxyOf: ProxyOf, options: Agent.Options): Connections {
  const direct = new Agent(options);
  const proxied = new Map<string, ProxyAgent>();
  const open = (uri: string) => {
    // Without the factory, undici would drop the timeouts for plain http.
    const { connect: _, ...rest } = options;
    const factory = (origin: string | URL, more: object) => new Pool(origin, { ...rest, ...more });
    const agent = new ProxyAgent({ ...rest, uri, factory });
    proxied.set(uri, agent);
    return agent;
  };
  const agentFor = (origin: string | URL | undefined) => {
    const proxy = proxyOf(new URL(origin ?? ''))?.href;
    return proxy ? (proxied.get(proxy) ?? open(proxy)) : direct;
  };
  return {
    dispatch: (request, handler) => agentFor(request.origin).dispatch(request, handler),
    destroy: async () => {
      await Promise.all([direct, ...proxied.values()].map((agent) => agent.destroy()));
    },
  };
}

export function fetchOver(connections: Connections): typeof globalThis.fetch {
  return (url, init) =>
    // Node's fetch refuses dispatchers of this package, and its types know only their own Request and Response.
    fetch(url as string, { ...init, dispatcher: connections } as never) as unknown as Promise<Response>;
}
