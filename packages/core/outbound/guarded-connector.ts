import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { EgressPolicy } from './egress-policy.ts';
import { mayReach, type Target } from './may-reach.ts';
import { OutboundFailed } from './outbound-failed.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Finds all addresses of a name; rejects when there are none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Connects only where the policy permits. A name is resolved once per connection, all its addresses are checked, and
 * the socket is given those very addresses: no second answer of the DNS can slip in between.
 */
export function guardedConnector(policy: EgressPolicy, lookup: Lookup): buildConnector.connector {
  return (options, callback) => {
    // The socket never asks the lookup about a literal address, so that one is checked here.
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

function blocked(host: string): OutboundFailed {
  const message = `${host} is not at a public address; the operator can allow it with PAWL_EGRESS_ALLOW.`;
  return new OutboundFailed('blocked', message, { sent: false });
}
