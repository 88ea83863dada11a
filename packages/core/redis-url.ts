/** A host among several, always with its port. */
type Node = { host: string; port: number };

/** The target of a URL: one Redis, the master that Sentinels name, or a cluster with some of its nodes. */
export type RedisUrl =
  | { kind: 'single'; url: string }
  | {
      kind: 'sentinel';
      nodes: Node[];
      master: string;
      db: number;
      access: Access;
      sentinelAccess: Access;
      tls: boolean;
    }
  | { kind: 'cluster'; nodes: Node[]; access: Access; tls: boolean };

/** A Redis that REDIS_URL names. Its address is the part that a log may show, and turns are spread by it. */
export type RedisAddress = { address: string; to: RedisUrl };

type Access = { username?: string; password?: string };

type Wrong = { kind: 'wrong'; advice: string };

/** Reads REDIS_URL: one URL, or several with spaces. `advice` completes a sentence, and quotes no part of the URL. */
export function parseRedisUrls(text: string): { kind: 'read'; all: RedisAddress[] } | Wrong {
  const all: RedisAddress[] = [];
  for (const url of wordsOf(text)) {
    const to = parseRedisUrl(url);
    if (to.kind === 'wrong') return to;
    all.push({ address: addressOf(url), to });
  }
  if (all.length === 0) return wrong(ADVICE);
  const areDifferent = new Set(all.map(({ address }) => address)).size === all.length;
  return areDifferent ? { kind: 'read', all } : wrong('give each Redis once');
}

export function parseRedisUrl(text: string): RedisUrl | Wrong {
  const found = text.match(PARTS);
  if (!found) return /^rediss?:\/\//.test(text) ? { kind: 'single', url: text } : wrong(ADVICE);
  const { scheme, user = '', hosts = '', path = '', query = '' } = found.groups ?? {};
  const isSentinel = scheme?.endsWith('+sentinel');
  if (!isSentinel && !hosts.includes(',')) return { kind: 'single', url: text };
  const nodes = hosts.split(',').map((host) => parseNode(host, isSentinel ? 26_379 : 6_379));
  if (!nodes.every((node) => node !== null)) return wrong(HOSTS_ADVICE);
  const access = parseAccess(user);
  if (!access) return wrong(ESCAPE_ADVICE);
  const tls = scheme?.startsWith('rediss') === true;
  if (!isSentinel) return /^0?$/.test(path) && !query ? { kind: 'cluster', nodes, access, tls } : wrong(CLUSTER_ADVICE);
  const [, master, db = '0'] = path.match(/^([\w.-]+)(?:\/(\d{1,5}))?$/) ?? [];
  const sentinelAccess = parseQuery(query);
  if (!master || !sentinelAccess) return wrong(SENTINEL_ADVICE);
  return { kind: 'sentinel', nodes, master, db: Number(db), access, sentinelAccess, tls };
}

/** Returns the hosts and databases of REDIS_URL, without users, passwords and options. */
export function addressOfRedis(text: string): string {
  return wordsOf(text).map(addressOf).join(' and ');
}

/** Returns the passwords in REDIS_URL, as they are sent. */
export function passwordsOfRedis(text: string): string[] {
  return wordsOf(text).flatMap(passwordsOf);
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function addressOf(text: string): string {
  const { hosts = '', path = '' } = text.match(PARTS)?.groups ?? {};
  if (!hosts) return 'an address that is not a valid URL';
  return path ? `${hosts}/${path}` : hosts;
}

function passwordsOf(text: string): string[] {
  const read = parseRedisUrl(text);
  if (read.kind === 'wrong') return [];
  if (read.kind === 'single') return [parseAccess(`:${URL.parse(text)?.password ?? ''}`)?.password ?? ''];
  const sentinel = read.kind === 'sentinel' ? read.sentinelAccess.password : '';
  return [read.access.password ?? '', sentinel ?? ''];
}

/** The parts of a URL. An `@` in a later part would belong to a password that is not percent-encoded. */
const PARTS =
  /^(?<scheme>rediss?(?:\+sentinel)?):\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]+)(?:\/(?<path>[^?#@]*))?(?:\?(?<query>[^#@]*))?$/;

const SENTINEL = 'redis+sentinel://host:26379,host:26379,host:26379/master-name';
const CLUSTER = 'redis://host:7000,host:7001,host:7002';

const ADVICE =
  `give redis://host:6379 (rediss:// for TLS), ${SENTINEL} for Sentinel, ` +
  `or ${CLUSTER} for the nodes of a cluster. Separate the URLs of several Redis with spaces`;
const HOSTS_ADVICE = 'give the hosts as host:port, separated by commas without spaces';
const ESCAPE_ADVICE = 'write user and password percent-encoded, a % as %25';
const CLUSTER_ADVICE = `give the nodes of a cluster as ${CLUSTER}, without a database, since a cluster only has database 0`;
const SENTINEL_ADVICE =
  `give Sentinel as ${SENTINEL}, followed by /0 to /99999 for a database. ` +
  'The options are sentinel_user and sentinel_password';

function wrong(advice: string): Wrong {
  return { kind: 'wrong', advice };
}

function parseNode(text: string, fallback: number): Node | null {
  const [, six, plain, port = String(fallback)] = text.match(/^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i) ?? [];
  const host = six ?? plain;
  const number = Number(port);
  return host && number > 0 && number < 65_536 ? { host, port: number } : null;
}

/** Parses `user:password` of a URL. Returns null if its percent-encoding is wrong. */
function parseAccess(text: string): Access | null {
  const [user, ...rest] = text.split(':');
  try {
    return accessOf(decodeURIComponent(user ?? ''), decodeURIComponent(rest.join(':')));
  } catch {
    return null;
  }
}

function parseQuery(query: string): Access | null {
  const { sentinel_user = '', sentinel_password = '', ...unknown } = Object.fromEntries(new URLSearchParams(query));
  return Object.keys(unknown).length === 0 ? accessOf(sentinel_user, sentinel_password) : null;
}

function accessOf(username: string, password: string): Access {
  return { ...(username && { username }), ...(password && { password }) };
}
