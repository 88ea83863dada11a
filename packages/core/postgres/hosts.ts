/** The addresses of a database. `directUrl` bypasses a pooler, for connections that listen. Default: `databaseUrl`. */
export type DatabaseUrls = { databaseUrl: string; directUrl?: string | undefined };

/** A server of a database URL. `url` names only this server. */
export type Host = { host: string; port: number; url: string };

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 5432;

/**
 * Returns the servers of a URL with several hosts, `postgres://user:password@a:5432,b:5433/name`, or null for other
 * URLs.
 */
export function hostsOf(url: string): Host[] | null {
  const [, start = '', list = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!list.includes(',')) return null;
  return list.split(',').map((entry) => {
    const single = new URL(`${start}${entry}${rest}`);
    single.searchParams.delete('target_session_attrs');
    const port = Number(single.port || DEFAULT_PORT);
    return { host: single.hostname.replace(/^\[|\]$/g, ''), port, url: single.href };
  });
}

/**
 * The options of a pooler. `isPooled` is `pgbouncer=true`. `prepares` allows prepared statements. The drivers get
 * `url`, without both options.
 */
export type Pooler = { url: string; isPooled: boolean; prepares: boolean };

const OF_POOLER = /([?&])(?:pgbouncer|prepared_statements)=[^&#]*(?:&|(?=#|$))/;

/** Reads the options of a pooler from a database URL. */
export function readPooler(given: string): Pooler {
  const said = new URLSearchParams(given.split(/[?#]/)[1]);
  const url = given
    .replace(OF_POOLER, '$1')
    .replace(OF_POOLER, '$1')
    .replace(/[?&](?=#|$)/, '');
  const isPooled = said.get('pgbouncer') === 'true';
  return { url, isPooled, prepares: !isPooled || said.get('prepared_statements') === 'true' };
}

/** Returns the problem of a URL with several hosts, or null. */
export function hostListProblem(url: string): string | null {
  const [, start = '', list = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!list.includes(',')) return null;
  const wrong = list.split(',').some((entry) => !HOST.test(entry) || !URL.canParse(`${start}${entry}${rest}`));
  return wrong ? 'give several hosts as host:port,host:port, each with a port from 1 to 65535' : null;
}

/**
 * All parameters after the `?` of a URL that Pawl reads. The drivers would read more parameters, each driver others.
 */
const PARAMETERS = ['sslmode', 'target_session_attrs', 'pgbouncer', 'prepared_statements'];

/** The values of `sslmode` that mean the same to all drivers. */
const SSL_MODES = ['disable', 'require', 'verify-full'];

/** Returns the problem of a URL that not all drivers read alike, or null. */
export function formProblem(url: string): string | null {
  const [, , list = '', rest = ''] = PARTS.exec(url) ?? [];
  const [path = '', query = ''] = rest.split('?');
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) return `Pawl does not support ${unknown}. Use only ${PARAMETERS.join(', ')} after the ?`;
  const mode = given.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) return `give sslmode as one of ${SSL_MODES.join(', ')}`;
  if (list.includes('%')) return 'give the host without % escapes, as host:port. Unix sockets are not supported';
  return path.includes('%') ? 'give the name of the database without % escapes' : null;
}

/** Returns the problem of a URL with several hosts if it asks for servers that take no writes, or null. */
export function targetProblem(url: string): string | null {
  const [, , list = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!list.includes(',')) return null;
  const target = new URLSearchParams(rest.split('?')[1]).get('target_session_attrs') ?? 'read-write';
  if (target === 'read-write' || target === 'primary') return null;
  return 'target_session_attrs must be read-write, as Pawl writes on every connection';
}
