import { isIP } from 'node:net';
import type { ProxyOf } from '../proxy.ts';
import { shorten } from '../text.ts';
import { type EgressPolicy, mayReach } from './policy.ts';

/** Returns the problem of the URL of a webhook or HTTP tool, or null. A call looks up its name later. */
export function checkUrl(policy: EgressPolicy, url: string): string | null {
  const target = URL.parse(url);
  if (target === null || !['http:', 'https:'].includes(target.protocol)) return 'Give an absolute http or https URL.';
  if (target.username !== '' || target.password !== '') {
    return 'The URL contains a user name or password. Send a header instead.';
  }
  const host = target.hostname.replace(/^\[|\]$/g, '');
  if (addressesOf(host).some((address) => mayReach(policy, target, address))) return null;
  const isPortFree = mayReach(policy, target, null);
  const what = isPortFree ? 'is not a public address' : 'uses a port that is reserved for other services';
  return `${shorten(target.host)} ${what}. Ask the operator to allow it with PAWL_EGRESS_ALLOW.`;
}

/** Names that only private networks have, beside those without a dot. */
const PRIVATE_NAME = /^[^.]*$|\.(?:localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Returns the problem of a name that only the proxy resolves, or null. A proxy inside the network may reach private
 * names.
 */
export function checkProxiedName(policy: EgressPolicy, proxyOf: ProxyOf, url: string): string | null {
  const target = new URL(url);
  const name = target.hostname.replace(/\.$/, '');
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0 || !PRIVATE_NAME.test(name) || proxyOf(target) === null) return null;
  if (policy.some((rule) => rule.kind === 'host' && mayReach([rule], target, PRIVATE_ADDRESS))) return null;
  return `${shorten(target.host)} is a name of a private network. Ask the operator to allow it with PAWL_EGRESS_ALLOW.`;
}

/** Represents the unknown address, so that only a rule with the name itself allows it. */
const PRIVATE_ADDRESS = '127.0.0.1';

/** Names that always mean this machine (RFC 6761). */
const THIS_MACHINE = /(?:^|\.)localhost\.?$/;

function addressesOf(host: string): (string | null)[] {
  if (isIP(host) !== 0) return [host];
  return THIS_MACHINE.test(host) ? ['127.0.0.1', '::1'] : [null];
}
