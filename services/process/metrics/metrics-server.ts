import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Misconfigured } from '#core/failure.ts';
import type { Availability } from '../availability.ts';
import type { ConnectionRefusals } from '../connection-refusals.ts';
import type { MetricsAccess } from './metrics-access.ts';
import type { ReadMetrics } from './standing-gauges.ts';

/** The answers of a worker on its port. */
type Answered = {
  readMetrics: ReadMetrics;
  mayRead(authorization: string | undefined): MetricsAccess;
  availability: Pick<Availability, 'check'>;
  connectionRefusals: Pick<ConnectionRefusals, 'current'>;
};

type Answer = { status: number; body: string | Record<string, unknown> };

export type MetricsServer = { url: string; close(): Promise<void> };

/** Opens the port of a process that serves no API: `/metrics`, `/healthz` and `/readyz`. */
export async function openMetricsServer(
  at: { host: string; port: number },
  answered: Answered,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    answer(request, answered).then(
      (known) => send(response, known),
      () => send(response, { status: 500, body: { status: 'failed' } }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, at)));
    server.listen(at.port, at.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer({ method, url, headers }: IncomingMessage, answered: Answered): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD')
    return refusal(405, 'method_not_allowed', 'This method is not supported. Send GET.');
  switch (new URL(url ?? '/', 'http://worker').pathname) {
    case '/healthz':
      return { status: 200, body: { status: 'ok' } };
    case '/readyz':
      return readiness(answered);
    case '/metrics':
      return metrics(answered, headers.authorization);
    default:
      return refusal(
        404,
        'route_not_found',
        'This route does not exist on a worker. Use /metrics, /healthz or /readyz.',
      );
  }
}

async function readiness({ availability, connectionRefusals }: Answered): Promise<Answer> {
  const { away, stores } = await availability.check();
  const reason = connectionRefusals.current() ?? away.get('database') ?? away.get('disk') ?? away.get('queue');
  if (reason) return refusal(503, 'service_unavailable', reason);
  return { status: 200, body: { status: 'ready', notes: [...stores.values()].filter((note) => note !== null) } };
}

async function metrics({ readMetrics, mayRead }: Answered, authorization: string | undefined): Promise<Answer> {
  switch (mayRead(authorization)) {
    case 'allowed':
      return { status: 200, body: await readMetrics() };
    case 'no-key':
      return refusal(
        401,
        'invalid_api_key',
        'The request has no valid key. Send PAWL_METRICS_KEY or an admin key as `Authorization: Bearer <key>`.',
      );
    case 'insufficient':
      return refusal(
        403,
        'insufficient_scope',
        'This key may not read the metrics. Send PAWL_METRICS_KEY or an admin key.',
      );
  }
}

function refusal(status: number, code: string, message: string): Answer {
  return { status, body: { error: { type: TYPES[status] ?? 'invalid_request_error', code, message, param: null } } };
}

const TYPES: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  503: 'server_error',
};

function send(response: ServerResponse, { status, body }: Answer): void {
  const isText = typeof body === 'string';
  response.writeHead(status, {
    'content-type': isText ? 'text/plain; version=0.0.4; charset=utf-8' : 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    'cache-control': 'no-store',
  });
  response.end(isText ? body : JSON.stringify(body));
}

function explain(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  if (error.code === 'EADDRINUSE')
    return new Misconfigured(
      `PAWL_METRICS_PORT: port ${port} on ${host} is in use. Set another port, or stop the process that uses it.`,
    );
  if (error.code === 'EACCES')
    return new Misconfigured(`PAWL_METRICS_PORT: this user may not listen on port ${port}. Set a port from 1024 on.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new Misconfigured(
      `HOST: ${host} is not an address of this machine. Set an address of this machine, for example 127.0.0.1.`,
    );
  return error;
}
