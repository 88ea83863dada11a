import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { Misconfigured } from '../failure.ts';

/** An exception that the operator allows. `port` null means any port. Hosts have no brackets. */
type EgressRule = { port: number | null } & (
  | { kind: 'host'; host: string }
  | { kind: 'network'; network: [IPv4 | IPv6, number] }
);

/** The targets that webhooks and HTTP tools may reach besides public addresses. */
export type EgressPolicy = readonly EgressRule[];

/** Reads `PAWL_EGRESS_ALLOW`: hosts as in the URL, or CIDRs, each with an optional `:port`. Throws Misconfigured. */
export function parseEgressAllow(text: string): EgressPolicy {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseRule);
}

function parseRule(entry: string): EgressRule {
  const { address = '', digits } = /^(?<address>.*?)(?::(?<digits>\d+))?$/.exec(entry)?.groups ?? {};
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) throw refused(entry, 'the port is not between 1 and 65535');
  if (address.includes('/')) return { kind: 'network', network: parseNetwork(address, entry), port };
  return { kind: 'host', host: parseHost(address, entry), port };
}

/** Requires four parts of an IPv4 address: the parser reads `10/8` as 0.0.0.10/8. */
function parseNetwork(address: string, entry: string): [IPv4 | IPv6, number] {
  const cidr = address.replace(/^\[([^[\]]+)\](\/\d+)?$/, '$1$2');
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr)) return ipaddr.IPv4.parseCIDR(cidr);
  if (ipaddr.IPv6.isValidCIDR(cidr)) return ipaddr.IPv6.parseCIDR(cidr);
  throw refused(entry, 'it is not a network such as 10.0.0.0/8 or [fd00::]/8');
}

function parseHost(address: string, entry: string): string {
  const url = /^(\[[^[\]]+\]|[^\s/\\?#@:[\]]+)$/.test(address) ? URL.parse(`http://${address}`) : null;
  if (url === null) throw refused(entry, 'it is not a host (write IPv6 in brackets)');
  if (!/^(\[.+\]|[a-z0-9._-]+)$/.test(url.hostname))
    throw refused(entry, 'a host must be a name or an address, not a pattern');
  return url.hostname.replace(/^\[|\]$/g, '');
}

function refused(entry: string, why: string): Misconfigured {
  return new Misconfigured(`PAWL_EGRESS_ALLOW: “${entry}” is not valid: ${why}.`);
}

/** The target of a request, as in a URL: the port is empty if it is the protocol's default. */
export type Target = { hostname: string; protocol: string; port: string };

/** Returns whether the policy permits a connection to an address, or with `null` to any address at all. */
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

/** Excludes low ports of mail, DNS and similar services, since a crafted request could speak their protocol. */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** A public address at which every Azure machine reaches its host's control service. */
const AZURE_HOST = '168.63.129.16';

/** Needs the second test because `unicast` alone accepts `::127.0.0.1` and unassigned IPv6. */
function isPublic(address: string): boolean {
  const found = ipaddr.process(address);
  if (found.range() !== 'unicast' || found.toString() === AZURE_HOST) return false;
  return found.kind() === 'ipv4' || found.match(...GLOBAL_IPV6);
}
