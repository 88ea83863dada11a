import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { checkUrl } from './check-url.ts';
import { EgressFailed } from './failure.ts';
import { type EgressPolicy, mayReach, type Target } from './policy.ts';
import { type EgressRequest, type EgressResponse, sendRequest } from './send.ts';

const IDLE_TIMEOUT_MS = 4_000;

/** The only way out to URLs that callers chose. */
export type Egress = {
  /** Sends one request, once; throws EgressFailed. */
  send(request: EgressRequest): Promise<EgressResponse>;
  /** Ends all connections at once; what is under way fails as `aborted`. */
  close(): Promise<void>;
};

/** Opens the egress under a policy. It ignores the environment's proxies, which would bypass the policy. */
export function openEgress(policy: EgressPolicy, { lookup = resolveAll }: { lookup?: Lookup } = {}): Egress {
  const agent = new Agent({
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
      const refusal = checkUrl(policy, request.url);
      if (refusal !== null) throw new EgressFailed('blocked', refusal, { sent: false });
      return await sendRequest(agent, request);
    },
    close: () => agent.destroy(),
  };
}

const resolveAll: Lookup = (hostname) => resolve(hostname, { all: true });

const CONNECT_TIMEOUT_MS = 10_000;

/** Finds all addresses of a name; rejects when there are none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Connects only where the policy permits. A name is resolved once per connection, and all its addresses are checked. The
 * socket gets these addresses, so a second answer of the DNS cannot replace them.
 */
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
  const message = `${host} is not at a public address; the operator can allow it with PAWL_EGRESS_ALLOW.`;
  return new EgressFailed('blocked', message, { sent: false });
}
