import type { AgentConfig } from '#core/turn/agents/agent.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import { isHosted } from '#core/turn/hosted/hosted-tool.ts';
import type { GivenTool } from '#core/turn/request/tool.ts';
import { executionOf, type Operators } from '../../../../start/resolve-tools.ts';
import type { OfferedHosted, OfferedTool } from '../request/offered-tool.ts';
import type { ResponseBody } from '../response-body.ts';

type Given = ResponseBody & { model: string };
type Own = Omit<ResponseBody, 'model'>;

/**
 * Returns a create request with the fields of its agent. Fields of the request override them. The schema of an agent's
 * answers is the format of the text, which the provider enforces. A request that `hasTools` of its own also makes its
 * own choice of a tool.
 */
export function withAgentFields(body: Own, agent: AgentConfig & { model: string }, hasTools: boolean): Given {
  const { temperature, top_p, parallel_tool_calls, instructions, service_tier } = agent;
  return {
    ...body,
    model: agent.model,
    // The instructions of the request are part of the agent's configuration here, with their variables.
    instructions: instructions ?? null,
    temperature: body.temperature ?? temperature,
    top_p: body.top_p ?? top_p,
    parallel_tool_calls: body.parallel_tool_calls ?? parallel_tool_calls,
    tool_choice: body.tool_choice ?? (hasTools ? undefined : choiceOf(agent.tool_choice)),
    service_tier: body.service_tier ?? service_tier,
    reasoning: { ...body.reasoning, effort: body.reasoning?.effort ?? agent.reasoning_effort },
    text: {
      ...body.text,
      format: body.text?.format ?? formatOf(agent),
      verbosity: body.text?.verbosity ?? agent.verbosity,
    },
    pawl: withPawlFields(body.pawl ?? {}, agent),
  };
}

function withPawlFields(pawl: NonNullable<ResponseBody['pawl']>, agent: AgentConfig): ResponseBody['pawl'] {
  const { tool_mode, allowed_capabilities, prompt_cache, tier_fallback, provider_headers, model_retry } = agent;
  const given = Object.entries(pawl).filter(([, value]) => value !== undefined);
  return {
    ...{ tool_mode, allowed_capabilities, prompt_cache, tier_fallback, provider_headers, model_retry },
    webhook: agent.webhook,
    ...Object.fromEntries(given),
    limits: agent.limits || pawl.limits ? { ...agent.limits, ...pawl.limits } : pawl.limits,
    provider_options: { ...agent.provider_options, ...pawl.provider_options },
  };
}

function choiceOf(choice: ToolChoice | null | undefined): ResponseBody['tool_choice'] {
  return choice && typeof choice === 'object' ? { type: 'function', name: choice.name } : choice;
}

function formatOf({ output_schema: output }: AgentConfig): NonNullable<ResponseBody['text']>['format'] {
  if (!output) return undefined;
  const { name = 'answer', schema, strict = null } = output;
  // The schema is JSON, as the schema of a create request.
  return { type: 'json_schema', name, schema, strict, description: null } as NonNullable<
    ResponseBody['text']
  >['format'];
}

/**
 * The fields of an agent that a create request has no name for. The agent's `max_output_tokens` limits each reply,
 * unless the request limits the whole response.
 */
export function fieldsBesideBody({ fallback_models, context, stop, seed, max_output_tokens }: AgentConfig, body: Own) {
  const ofReply = body.max_output_tokens ? {} : { max_output_tokens };
  return { fallback_models, context, stop, seed, ...ofReply };
}

/** The fields of an agent that concern its model, for a request that runs no tools. */
export function modelFields(agent: AgentConfig, instructions: string | null | undefined): AgentConfig {
  const { fallback_models, allowed_capabilities, provider_options, provider_headers, model_retry } = agent;
  return { fallback_models, allowed_capabilities, provider_options, provider_headers, model_retry, instructions };
}

/** The tools of an agent, as a create request offers them. The caller answers calls of tools that Pawl does not run. */
export function offerTools(
  tools: AgentConfig['tools'],
  operators: Operators,
): { offered: OfferedTool[]; hosted: OfferedHosted[] } {
  const offered: OfferedTool[] = [];
  const hosted: OfferedHosted[] = [];
  for (const [at, tool] of (tools ?? []).entries()) {
    const path = `tools[${at}]`;
    if (typeof tool === 'string') offered.push({ ...offerOf(tool, path), given: tool, handOver: null });
    else if (isHosted(tool)) hosted.push({ path, asked: tool.type, tool });
    else offered.push({ ...offerOf(tool.name, path), ...givenOf(tool, operators) });
  }
  return { offered, hosted };
}

function offerOf(name: string, path: string) {
  return { path, name, reference: { type: 'function' as const, name }, strict: null, needsApproval: false };
}

function givenOf(tool: GivenTool, operators: Operators): Pick<OfferedTool, 'given' | 'handOver'> {
  const execution = executionOf(tool, operators);
  return { given: { ...tool, execution }, handOver: execution.kind === 'client' ? { custom: false } : null };
}
