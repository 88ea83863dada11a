import ipaddr from 'ipaddr.js';
import type { EgressPolicy, EgressRule } from './egress-policy.ts';

/** Where a request wants to go, as a URL or a connector spells it: the port is empty where it is the protocol's own. */
export type Target = { hostname: string; protocol: string; port: string };

/**
 * Whether a connection to the target at this address is permitted: public addresses are, and what the policy allows.
 * With `null` for an address that is not known yet: whether any address could be.
 */
export function mayReach(policy: EgressPolicy, target: Target, address: string | null): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
  if (isWebPort(port) && (address === null || isPublic(address))) return true;
  return policy.some((rule) => (rule.port === null || rule.port === port) && covers(rule, host, address));
}

function covers(rule: EgressRule, host: string, address: string | null): boolean {
  if (rule.kind === 'host') return rule.host === host;
  if (address === null) return true;
  const found = ipaddr.process(address);
  const [base, bits] = rule.network;
  return found.kind() === base.kind() && found.match(base, bits);
}

/** Low ports belong to mail, DNS and the like: nobody's webhook, but somebody's way to make us speak to them. */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Public by its number, yet every Azure machine reaches its host's control service there. */
const AZURE_HOST = '168.63.129.16';

/** `unicast` alone would let `::127.0.0.1` and unassigned IPv6 pass, hence the second test. */
function isPublic(address: string): boolean {
  const found = ipaddr.process(address);
  if (found.range() !== 'unicast' || found.toString() === AZURE_HOST) return false;
  return found.kind() === 'ipv4' || found.match(...GLOBAL_IPV6);
}
