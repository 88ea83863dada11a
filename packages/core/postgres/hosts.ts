/** Where a database is. `directUrl` leads past a pooler, for connections that listen; it is `databaseUrl` where there is none. */
export type DatabaseUrls = { databaseUrl: string; directUrl?: string | undefined };

/** One server of a database URL. `url` leads to it alone. */
export type Host = { host: string; port: number; url: string };

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i;
const DEFAULT_PORT = 5432;

/** The servers of a URL with several hosts, `postgres://user:password@a:5432,b:5433/name`; null for any other URL. */
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
 * `isPooled`: `pgbouncer=true`. `prepares`: statements may be prepared. The drivers get `url`, without both options.
 */
export type Pooler = { url: string; isPooled: boolean; prepares: boolean };

const OF_POOLER = /([?&])(?:pgbouncer|prepared_statements)=[^&#]*(?:&|(?=#|$))/;

/** Reads what a database URL says of a pooler. */
export function readPooler(given: string): Pooler {
  const said = new URLSearchParams(given.split(/[?#]/)[1]);
  const url = given
    .replace(OF_POOLER, '$1')
    .replace(OF_POOLER, '$1')
    .replace(/[?&](?=#|$)/, '');
  const isPooled = said.get('pgbouncer') === 'true';
  return { url, isPooled, prepares: !isPooled || said.get('prepared_statements') === 'true' };
}

/** Says what is wrong with the several hosts of a URL; null where nothing is, or where it names one. */
export function hostListProblem(url: string): string | null {
  const [, start = '', list = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!list.includes(',')) return null;
  const wrong = list.split(',').some((entry) => !HOST.test(entry) || !URL.canParse(`${start}${entry}${rest}`));
  return wrong ? 'give several hosts as host:port,host:port, each with a port from 1 to 65535' : null;
}

/** All that is read of what follows the `?` of a URL. The drivers would read more, and each something else. */
const PARAMETERS = ['sslmode', 'target_session_attrs', 'pgbouncer', 'prepared_statements'];

/** The values of `sslmode` that mean the same to all drivers. */
const SSL_MODES = ['disable', 'require', 'verify-full'];

/** Says what of a URL not all drivers read alike; null if nothing is. */
export function formProblem(url: string): string | null {
  const [, , list = '', rest = ''] = PARTS.exec(url) ?? [];
  const [path = '', query = ''] = rest.split('?');
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    return `Pawl does not read ${unknown}. Leave it out; only ${PARAMETERS.join(', ')} may follow the ?`;
  const mode = given.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) return `give sslmode as one of ${SSL_MODES.join(', ')}`;
  if (list.includes('%')) return 'name the host as it is. Unix sockets are not supported, so give host:port';
  return path.includes('%') ? 'name the database without % escapes' : null;
}

/** Says why the servers that a URL with several hosts asks for are none to write on. */
export function targetProblem(url: string): string | null {
  const [, , list = '', rest = ''] = PARTS.exec(url) ?? [];
  if (!list.includes(',')) return null;
  const target = new URLSearchParams(rest.split('?')[1]).get('target_session_attrs') ?? 'read-write';
  if (target === 'read-write' || target === 'primary') return null;
  return 'target_session_attrs must be read-write, as Pawl writes on every connection';
}
