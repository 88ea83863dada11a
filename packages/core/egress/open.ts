import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { openConnections, type ProxyOf, withoutProxy } from '../proxy.ts';
import { checkProxiedName, checkUrl } from './check-url.ts';
import { EgressFailed } from './failure.ts';
import { type EgressPolicy, mayReach, type Target } from './policy.ts';
import { type EgressRequest, type EgressResponse, sendRequest } from './send.ts';

const IDLE_TIMEOUT_MS = 4_000;

/** The only client for URLs that callers chose. */
export type Egress = {
  /** Sends one request, once. Throws EgressFailed. */
  send(request: EgressRequest): Promise<EgressResponse>;
  /** Ends all connections at once. Running requests fail as `aborted`. */
  close(): Promise<void>;
};

type EgressOptions = { lookup?: Lookup; proxyOf?: ProxyOf };

/** Opens the egress. A proxy resolves names itself, so only names of private networks are checked before. */
export function openEgress(
  policy: EgressPolicy,
  { lookup = resolveAll, proxyOf = withoutProxy }: EgressOptions = {},
): Egress {
  const connections = openConnections(proxyOf, {
    connect: guardedConnector(policy, lookup),
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
  });
  return {
    async send(request) {
      const refusal = checkUrl(policy, request.url) ?? checkProxiedName(policy, proxyOf, request.url);
      if (refusal !== null) throw new EgressFailed('blocked', refusal, { sent: false });
      return await sendRequest(connections, request);
    },
    close: () => connections.destroy(),
  };
}

const resolveAll: Lookup = (hostname) => resolve(hostname, { all: true });

const CONNECT_TIMEOUT_MS = 10_000;

/** Finds all addresses of a name. Rejects if the name has no address. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/** Connects if the policy permits. The socket gets the checked addresses, so a second DNS answer has no effect. */
export function guardedConnector(policy: EgressPolicy, lookup: Lookup): buildConnector.connector {
  return (options, callback) => {
    // The socket does not look up a literal address, so it is checked here.
    if (isIP(options.hostname) !== 0 && !mayReach(policy, options, options.hostname)) {
      callback(blocked(options.hostname), null);
      return;
    }
    const connect = buildConnector({
      allowH2: false,
      maxCachedSessions: 0,
      timeout: CONNECT_TIMEOUT_MS,
      lookup: guardedLookup(policy, options, lookup),
    });
    connect(options, callback);
  };
}

function guardedLookup(policy: EgressPolicy, target: Target, lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => mayReach(policy, target, address))) {
          callback(blocked(hostname), []);
        } else if (options.all) {
          callback(null, addresses);
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error) => callback(error, []),
    );
  };
}

function blocked(host: string): EgressFailed {
  const message = `${host} is not a public address. Ask the operator to allow it with PAWL_EGRESS_ALLOW.`;
  return new EgressFailed('blocked', message, { sent: false });
}
