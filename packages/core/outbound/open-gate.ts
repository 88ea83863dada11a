import { lookup as resolve } from 'node:dns/promises';
import { Agent } from 'undici';
import { checkUrl } from './check-url.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { exchange } from './exchange.ts';
import { guardedConnector, type Lookup } from './guarded-connector.ts';
import { OutboundFailed } from './outbound-failed.ts';

const IDLE_TIMEOUT_MS = 4_000;

/** One request: `timeoutMs` is for all of it, name lookup and body included; of the answer `maxBytes` are read. */
export type OutboundRequest = {
  url: string;
  method?: 'POST';
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
};

/** What came back, redirects included: they are never followed. Header names are lower-case. */
export type OutboundAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  truncated: boolean;
  sent: true;
};

/** The only way out to URLs that callers chose. */
export type Gate = {
  /** Sends one request, once; throws OutboundFailed. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Ends all connections at once; what is under way fails as `aborted`. */
  close(): Promise<void>;
};

/** Opens the gate under a policy. It ignores the environment's proxies, which would connect past the guard. */
export function openGate(policy: EgressPolicy, { lookup = resolveAll }: { lookup?: Lookup } = {}): Gate {
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
      if (refusal !== null) throw new OutboundFailed('blocked', refusal, { sent: false });
      return await exchange(agent, request);
    },
    close: () => agent.destroy(),
  };
}

const resolveAll: Lookup = (hostname) => resolve(hostname, { all: true });
