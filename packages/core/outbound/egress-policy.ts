import type { IPv4, IPv6 } from 'ipaddr.js';
import ipaddr from 'ipaddr.js';
import { Misconfigured } from '../failure.ts';

/** One thing the operator allows although it is not public; `port` null means any. Hosts stand without brackets. */
export type EgressRule = { port: number | null } & (
  | { kind: 'host'; host: string }
  | { kind: 'network'; network: [IPv4 | IPv6, number] }
);

/** What webhooks and HTTP tools may reach besides public addresses. */
export type EgressPolicy = readonly EgressRule[];

/** Reads `PAWL_EGRESS_ALLOW`: hosts as written in the URL or CIDRs, each with an optional `:port`. Throws Misconfigured. */
export function parseEgressAllow(text: string): EgressPolicy {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseRule);
}

function parseRule(entry: string): EgressRule {
  const { place = '', digits } = /^(?<place>.*?)(?::(?<digits>\d+))?$/.exec(entry)?.groups ?? {};
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) throw refused(entry, 'the port is not between 1 and 65535');
  if (place.includes('/')) return { kind: 'network', network: parseNetwork(place, entry), port };
  return { kind: 'host', host: parseHost(place, entry), port };
}

/** IPv4 wants its four parts: the parser would read `10/8` as 0.0.0.10/8, a network nobody meant. */
function parseNetwork(place: string, entry: string): [IPv4 | IPv6, number] {
  const cidr = place.replace(/^\[([^[\]]+)\](\/\d+)?$/, '$1$2');
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr)) return ipaddr.IPv4.parseCIDR(cidr);
  if (ipaddr.IPv6.isValidCIDR(cidr)) return ipaddr.IPv6.parseCIDR(cidr);
  throw refused(entry, 'it is no network like 10.0.0.0/8 or [fd00::]/8');
}

/** The URL parser spells the host, so that a rule and a request are compared in the same spelling. */
function parseHost(place: string, entry: string): string {
  const url = /^(\[[^[\]]+\]|[^\s/\\?#@:[\]]+)$/.test(place) ? URL.parse(`http://${place}`) : null;
  if (url === null) throw refused(entry, 'it is no host (IPv6 goes in brackets)');
  if (!/^(\[.+\]|[a-z0-9._-]+)$/.test(url.hostname)) throw refused(entry, 'hosts are names or addresses, no patterns');
  return url.hostname.replace(/^\[|\]$/g, '');
}

function refused(entry: string, why: string): Misconfigured {
  return new Misconfigured(`PAWL_EGRESS_ALLOW: “${entry}” cannot be used: ${why}.`);
}
