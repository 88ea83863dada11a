import { RequestRefused } from '#core/failure.ts';
import { isOpenaiWire, type Provider } from '#core/llm/provider.ts';
import type { Providers } from '#core/llm/providers.ts';
import { chooseWires } from '#core/llm/wires.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import type { GivenTool, TurnTool } from '#core/turn/request/tool.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import { withAgent } from '../../../start/agents/resolve-layers.ts';
import { type GivenConfig, resolveConfig } from '../../../start/resolve-config.ts';
import type { ApiContext } from '../../context.ts';
import { markOverridden, type Named, readAgent } from './agents/read-agent.ts';
import { fieldsBesideBody, offerTools } from './agents/with-agent-fields.ts';
import { checkFields, checkWire } from './request/check-fields.ts';
import { conversationIdOf, echoRequest } from './request/echo-request.ts';
import type { OfferedHosted, OfferedTool } from './request/offered-tool.ts';
import { type PlacedItem, readInput } from './request/read-input.ts';
import type { ReadRequest } from './request/read-request.ts';
import { readToolChoice } from './request/read-tool-choice.ts';
import { readTools } from './request/read-tools.ts';
import type { ResponseSettings } from './request/response-settings.ts';
import { chatOptions, tierOf, wireOptions } from './request/wire-options.ts';
import type { ResponseBody } from './response-body.ts';

export type ReadRules = Pick<
  ApiContext,
  'prices' | 'projects' | 'tools' | 'mcp' | 'toolSecrets' | 'toolRules' | 'egressPolicy' | 'stateSeals'
> & {
  db: ApiContext['db'];
  providers: Providers;
  project: string;
  /** The names of the only agents that the request may use. */
  allowedAgents?: readonly string[] | null | undefined;
  responses: ResponseSettings;
  /** Whether the request runs no tools, and uses only the model of its agent. */
  isCompaction?: boolean | undefined;
  /** Whether an empty input is allowed without a previous response or conversation. */
  mayBeEmpty?: boolean | undefined;
};

/**
 * The fields of a Chat Completions request that a response does not have: items of messages in place of `input`,
 * tools that Pawl runs, and settings of the model.
 */
export type ChatFields = Pick<GivenConfig, 'stop' | 'seed'> & {
  items: PlacedItem[];
  offered: OfferedTool[];
  logitBias: Record<string, number>;
  /** The request as the client sent it, and whether it names its own tools. */
  sent: object;
  hasTools: boolean;
};

/**
 * Reads a create request. Every field is either read, or refused with its path. Whether items match the history, and
 * the targets of references, are checked later.
 */
export async function readResponseRequest(
  sent: ResponseBody,
  rules: ReadRules,
  chat?: ChatFields,
): Promise<ReadRequest> {
  const { prompted, model, body, agent, hasTools } = await readAgent(sent, rules, chat);
  checkFields(body);
  const provider = providerOf(body, model, { providers: rules.providers, chat });
  checkWire(body, provider);
  checkBias(chat, provider);
  const { shown, ignored, ...own } = await readTools(body.tools, { ...rules, provider });
  const tools = agent && !hasTools ? offerTools(agent.tools, rules) : own;
  const offered = [...tools.offered, ...(chat?.offered ?? [])];
  const choice = readToolChoice(body.tool_choice, { offered, hosted: tools.hosted });
  const asked = { body, model, provider, chat, beside: agent ? fieldsBesideBody(agent, sent) : {}, ...choice };
  const config = await resolveAsked(asked, rules);
  const { stateSeals, project } = rules;
  const unseal = {
    reasoning: (sealed: string) => stateSeals.unseal(sealed, { project, provider: provider.name }),
    compaction: (sealed: string) => stateSeals.unsealSummary(sealed, project),
  };
  return {
    config: withAgent(
      {
        ...config,
        ...samplingConfig(body, provider),
        response: echoRequest({ ...sent, model: sent.model ?? model }, shown),
      },
      prompted ? markOverridden(prompted, chat?.sent ?? sent) : {},
    ),
    input: chat?.items ?? (await readInput(body, unseal, rules.mayBeEmpty)),
    metadata: body.metadata ?? {},
    priority: body.pawl?.priority ?? 0,
    previousResponseId: body.previous_response_id ?? null,
    conversationId: conversationIdOf(body),
    store: body.store ?? true,
    ignoredTools: ignored,
    ...(prompted && { newConversationId: prompted.newConversationId }),
  };
}

/** Returns the provider of the model, over the wire that fits the request. */
function providerOf(
  body: Named,
  model: string,
  { providers, chat }: { providers: Providers; chat: ChatFields | undefined },
): Provider {
  const provider_options = { ...chatOptions(body), ...biasOption(chat), ...body.pawl?.provider_options };
  const config = { model, provider_options, stop: chat?.stop, seed: chat?.seed };
  return providers.ofModel(model, chooseWires({ models: [model], config, input: body.input }, providers));
}

/** Returns the token biases as an option, which only Chat Completions has. */
function biasOption(chat: ChatFields | undefined) {
  const bias = chat?.logitBias ?? {};
  return Object.keys(bias).length > 0 ? { logit_bias: bias } : {};
}

function checkBias(chat: ChatFields | undefined, { name, capabilities }: Provider): void {
  if (capabilities.wire === 'openai' || !biasOption(chat).logit_bias) return;
  const message = `\`logit_bias\` is not supported by ${name}. Leave it out, or use another model.`;
  throw new RequestRefused(400, 'unsupported_parameter', message, 'logit_bias');
}

type Asked = {
  body: Named;
  /** Fields of the agent that a create request does not have. */
  beside: Partial<GivenConfig>;
  chat: ChatFields | undefined;
  model: string;
  provider: Pick<Provider, 'name' | 'capabilities' | 'takesCacheKey'>;
  choice: ToolChoice;
  offered: OfferedTool[];
  hosted: OfferedHosted[];
};

/** Resolves the configuration by the rules of turn requests, and adds the caller's own tools. */
async function resolveAsked(
  { body, chat, model, provider, beside, choice, offered, hosted }: Asked,
  rules: ReadRules,
): Promise<TurnConfig> {
  const { limits, webhook, tool_mode, allowed_capabilities } = body.pawl ?? {};
  const { prompt_cache, tier_fallback, provider_headers, model_retry } = body.pawl ?? {};
  const { max_tool_calls, instructions, parallel_tool_calls, temperature } = body;
  const given = {
    ...beside,
    ...{ model, instructions, parallel_tool_calls, temperature, webhook, tool_mode, allowed_capabilities },
    ...{ prompt_cache, service_tier: tierOf(body, provider), tier_fallback, provider_headers, model_retry },
    tools: [...offered.map(checkedTool), ...hosted.map(({ tool }) => tool)],
    tool_choice: choice,
    ...(body.truncation === 'auto' && { context: { strategy: 'drop_tool_results' as const } }),
    limits: { ...limits, ...(max_tool_calls ? { max_tool_calls } : {}) },
    ...(chat?.stop && { stop: chat.stop }),
    ...(typeof chat?.seed === 'number' && { seed: chat.seed }),
    provider_options: { ...biasOption(chat), ...wireOptions(body, provider) },
  };
  const config = await resolveConfig(given, { ...rules, toolRules: 'provider', input: body.input }).catch(
    (error: unknown) => {
      throw error instanceof RequestRefused ? atOwnPath(error, [...offered, ...hosted]) : error;
    },
  );
  const offeredAs = (name: string) => offered.find((tool) => tool.name === name);
  return { ...config, tools: config.tools.map((tool) => asOffered(tool, offeredAs(tool.name))) };
}

/** Returns the parts of a tool to check. For a caller's own tool: all but its schema. */
function checkedTool({ given, handOver }: OfferedTool): string | GivenTool {
  return handOver && typeof given !== 'string' ? { ...given, parameters: null } : given;
}

function asOffered(tool: TurnTool, offered: OfferedTool | undefined): TurnTool {
  if (!offered) return tool;
  const { given, handOver, strict, needsApproval } = offered;
  const known = {
    ...tool,
    ...(strict !== null && { strict }),
    ...(needsApproval && { approval: 'always' as const }),
  };
  if (!handOver || typeof given === 'string') return known;
  return { ...known, parameters: given.parameters ?? tool.parameters, execution: null, handOver };
}

/** The fields of turns that a create request has in `pawl`. */
const NESTED = [
  ...['limits', 'webhook', 'tool_mode', 'allowed_capabilities', 'provider_options', 'prompt_cache'],
  ...['tier_fallback', 'provider_headers', 'model_retry'],
];
const BEFORE_NESTED = new RegExp(`^(?=(?:${NESTED.join('|')})\\b)`);

/**
 * Returns a refusal by the rules of turns with the path of the field in the create request. For a tool of a label,
 * this is the path of the label's tool.
 */
function atOwnPath(
  { status, code, message, param }: RequestRefused,
  offered: (OfferedTool | OfferedHosted)[],
): RequestRefused {
  const own = param
    ?.replace(/^tools\[(\d+)\](.*)$/s, (path, index, field) => {
      const tool = offered[Number(index)];
      return tool ? `${tool.path}${isOfLabel(tool) ? '' : field}` : path;
    })
    .replace(BEFORE_NESTED, 'pawl.');
  const said = message.replace(/^tools\[(\d+)\](?=: )/, (path, index) => offered[Number(index)]?.path ?? path);
  return new RequestRefused(status, code, said, own ?? null);
}

function isOfLabel(tool: OfferedTool | OfferedHosted): boolean {
  return 'reference' in tool && tool.reference.type === 'mcp';
}

/** Returns the fields of a turn's configuration that a native request does not have. */
function samplingConfig(body: ResponseBody, { capabilities }: Pick<Provider, 'capabilities'>) {
  const format = body.text?.format ?? null;
  return {
    top_p: body.top_p ?? null,
    reasoning_effort: body.reasoning?.effort ?? null,
    verbosity: isOpenaiWire(capabilities.wire) ? (body.text?.verbosity ?? null) : null,
    text_format: format?.type === 'text' ? null : format,
    max_total_output_tokens: body.max_output_tokens ?? null,
  };
}
