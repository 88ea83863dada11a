import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Gate, makeGate } from '#test/harness/gate.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import type { ScriptedReply } from '#test/llm/wire-script.ts';

type Body = { model: string; service_tier?: unknown; messages?: object[]; input?: object[] };

/** One request to the server. `tier` is null if the request has no tier. */
export type FlexRequest = { tier: string | null; model: string; status: number; body: Body };

/** The refusal that the server sends instead of an answer. */
export type TierRefusal = { status: number; error: object; headers?: Record<string, string> };

/**
 * The refusal of a request on flex while OpenAI lacks capacity. It requests a pause, so that no test depends on its
 * duration.
 */
export const UNAVAILABLE: TierRefusal = {
  status: 429,
  headers: { 'retry-after': '60' },
  error: {
    message: 'Resource unavailable. There are not enough resources for this request on flex now. Try again later.',
    ...{ type: 'resource_unavailable', param: null, code: 'resource_unavailable' },
  },
};

export const RATE_LIMITED: TierRefusal = {
  status: 429,
  error: {
    message: 'Rate limit reached for some-model in organization org-1 on requests per min (RPM): Limit 3, Used 3.',
    ...{ type: 'requests', param: null, code: 'rate_limit_exceeded' },
  },
};

/** A model that supports service tiers, over both wires of OpenAI. */
export type FlexServer = AsyncDisposable & {
  baseUrl: string;
  asked: FlexRequest[];
  tiers(): (string | null)[];
  /** Refuses the next requests on this tier, by default all requests. Replaces an earlier rule for the tier. */
  refuse(tier: string, refusal: TierRefusal, times?: number): void;
  /** Reports this tier in every reply. Null reports the requested tier. */
  report(tier: string | null): void;
  /** Holds the next answers until the test releases them. */
  hold: Gate['close'];
};

type Rule = { refusal: TierRefusal; left: number };
/** Returns the reply of the model after so many tool results in the request. */
type ReplyAfter = (results: number) => ScriptedReply;

const TIERS = ['auto', 'default', 'flex', 'priority'];
const USED = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
const usage = { ...USED, cached_input_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };

export async function startFlexServer(replyAfter: ReplyAfter = () => ({ text: ['Hello.'] })): Promise<FlexServer> {
  const asked: FlexRequest[] = [];
  const rules = new Map<string, Rule>();
  const gate = makeGate();
  let reported: string | null = null;
  const server = createServer(async (request, response) => {
    const body: Body = JSON.parse(await text(request));
    await gate.pass();
    const refusal = refusalOf(body, rules);
    const tier = body.service_tier === undefined ? null : String(body.service_tier);
    asked.push({ tier, model: body.model, status: refusal?.status ?? 200, body });
    if (refusal) return refuse(response, refusal);
    const reply = { usage, ...replyAfter(resultsIn(body)) };
    answer(response, { path: request.url ?? '', reply, tier: reported ?? servedTier(tier) });
  });
  const { origin, ...end } = await listen(server);
  return {
    ...end,
    baseUrl: `${origin}/v1`,
    asked,
    tiers: () => asked.map(({ tier }) => tier),
    refuse: (tier, refusal, times = Number.POSITIVE_INFINITY) => void rules.set(tier, { refusal, left: times }),
    report: (tier) => {
      reported = tier;
    },
    hold: gate.close,
  };
}

function refusalOf({ service_tier: tier }: Body, rules: Map<string, Rule>): TierRefusal | null {
  if (tier !== undefined && !TIERS.includes(tier as string)) return unknownTier(tier);
  const rule = rules.get(servedTier(tier === undefined ? null : String(tier)));
  if (!rule || rule.left === 0) return null;
  rule.left -= 1;
  return rule.refusal;
}

function unknownTier(tier: unknown): TierRefusal {
  const message = `Invalid value: '${tier}'. Supported values are: 'auto', 'default', 'flex', and 'priority'.`;
  return {
    status: 400,
    error: { message, type: 'invalid_request_error', param: 'service_tier', code: 'invalid_value' },
  };
}

/** Returns the tier that serves a request. The project of the test has the ordinary tier as default. */
function servedTier(tier: string | null): string {
  return tier === null || tier === 'auto' ? 'default' : tier;
}

function resultsIn({ messages = [], input = [] }: Body): number {
  return [...messages, ...input].filter(isResult).length;
}

function isResult(item: { role?: string; type?: string }): boolean {
  return item.role === 'tool' || item.type === 'function_call_output';
}

function refuse(response: ServerResponse, { status, error, headers = {} }: TierRefusal): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1', ...headers });
  response.end(JSON.stringify({ error }));
}

type Answered = { path: string; reply: ScriptedReply; tier: string };

function answer(response: ServerResponse, { path, reply, tier }: Answered): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = path.endsWith('/responses') ? responsesWithTier(reply, tier) : chunksWithTier(reply, tier);
  response.end(events.join(''));
}

export function chunksWithTier(reply: ScriptedReply, tier: string): string[] {
  return openaiWire.reply(reply).map((event) => event.replace('{', `{"service_tier":"${tier}",`));
}

/** Returns a response with `auto` in its first snapshots, and this tier in the last snapshot. */
export function responsesWithTier(reply: ScriptedReply, tier: string): string[] {
  const [first = '', ...rest] = responsesWire.reply(reply);
  return [first.replaceAll('"service_tier":"default"', '"service_tier":"auto"'), ...rest].map((event) =>
    event.replaceAll('"service_tier":"default"', `"service_tier":"${tier}"`),
  );
}
