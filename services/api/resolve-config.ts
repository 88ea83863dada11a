import { checkUrl } from '#core/egress/check-url.ts';
import { RequestRefused } from '#core/failure.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { unsupportedField } from '#core/llm/unsupported-parameter.ts';
import { quote } from '#core/text.ts';
import { fillLimits } from '#core/turn/limits.ts';
import type { Tool } from '#core/turn/request/tool.ts';
import {
  DEFAULT_EVENTS,
  type ResponseWebhook,
  type StandingConfig,
  type Subscription,
  type ToolChoice,
  type TurnConfig,
} from '#core/turn/request/turn.ts';
import type { ApiContext } from './context.ts';
import { resolveTools } from './resolve-tools.ts';

type Rules = Pick<ApiContext, 'providers' | 'tools' | 'mcp' | 'toolSecrets' | 'toolRules' | 'egressPolicy'> & {
  project: string;
};

/** A turn's own fields over its conversation's. `null` counts as given and means the default; a model has none. */
export function mergeConfig(standing: StandingConfig, own: StandingConfig): StandingConfig {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...standing, ...Object.fromEntries(given), model: own.model ?? standing.model };
}

/** Checks a standing configuration; a conversation need not name its model yet. */
export async function checkStanding(config: StandingConfig, rules: Rules): Promise<void> {
  await resolveConfig({ ...config, model: config.model ?? 'sim/none' }, rules);
}

/** What a turn is configured by: a response's webhook may name more events than a native turn's. */
type GivenConfig = Omit<StandingConfig, 'webhook'> & { webhook?: ResponseWebhook | null | undefined };

/** Fills in every default and resolves every tool; refuses, with its path, what no turn could run with. */
export async function resolveConfig(config: GivenConfig, rules: Rules): Promise<TurnConfig> {
  const tools = await resolveTools(config.tools ?? [], rules);
  const model = checkModel(config.model, rules);
  checkSampling(model, config, rules);
  return {
    model,
    instructions: config.instructions ?? null,
    tools,
    tool_choice: checkChoice(config.tool_choice ?? 'auto', tools),
    tool_mode: checkMode(config.tool_mode ?? 'native', { model, tools }, rules),
    parallel_tool_calls: config.parallel_tool_calls ?? null,
    temperature: config.temperature ?? null,
    top_p: config.top_p ?? null,
    reasoning_effort: config.reasoning_effort ?? null,
    verbosity: config.verbosity ?? null,
    max_output_tokens: config.max_output_tokens ?? null,
    limits: fillLimits(config.limits),
    ...contextField(config.context, rules),
    allowed_capabilities: config.allowed_capabilities ?? null,
    provider_options: config.provider_options ?? {},
    webhook: config.webhook ? subscribe(config.webhook, rules) : null,
  };
}

function checkModel(model: string | null | undefined, { providers }: Rules): string {
  if (!model) {
    const message = 'Name the model as provider/model, here or in the conversation, for example openai/gpt-4.1.';
    throw new RequestRefused(400, 'missing_field', message, 'model');
  }
  providers.find(splitModel(model).provider);
  return model;
}

function contextField(given: GivenConfig['context'], { providers }: Rules): Pick<TurnConfig, 'context'> {
  if (!given) return {};
  const { strategy, max_input_tokens = null, model = null } = given;
  if (model) checkProvider(model, 'context.model', providers);
  if (strategy === 'none') return {};
  return { context: { strategy, max_input_tokens, keep_last_rounds: given.keep_last_rounds ?? KEPT_ROUNDS, model } };
}

const KEPT_ROUNDS = 4;

/** Refuses a model whose provider is not there, naming the field. */
function checkProvider(model: string, param: string, providers: Rules['providers']): void {
  try {
    providers.find(splitModel(model).provider);
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    throw new RequestRefused(error.status, error.code, error.message, param);
  }
}

function checkSampling(model: string, config: GivenConfig, { providers }: Rules): void {
  const unsupported = unsupportedField(providers.find(splitModel(model).provider), config);
  if (unsupported) throw new RequestRefused(400, 'unsupported_parameter', unsupported.message, unsupported.param);
}

function checkChoice(choice: ToolChoice, tools: Tool[]): ToolChoice {
  if (choice === 'required' && tools.length === 0) {
    throw new RequestRefused(
      400,
      'invalid_value',
      'tool_choice is required, but no tools are given. Give some.',
      'tool_choice',
    );
  }
  if (typeof choice === 'object' && !tools.some((tool) => tool.name === choice.name)) {
    const message = `tool_choice names ${quote(choice.name)}, which is not among the tools. Add it, or name another.`;
    throw new RequestRefused(400, 'invalid_value', message, 'tool_choice.name');
  }
  return choice;
}

function checkMode(
  mode: TurnConfig['tool_mode'],
  { model, tools }: Pick<TurnConfig, 'model' | 'tools'>,
  { providers }: Rules,
): TurnConfig['tool_mode'] {
  const { name, capabilities } = providers.find(splitModel(model).provider);
  if (mode !== 'native' || tools.length === 0 || capabilities.tools) return mode;
  const message = `${name} has no tool calls of its own. Set tool_mode to "emulated", or to "inline".`;
  throw new RequestRefused(400, 'tools_not_supported', message, 'tool_mode');
}

function subscribe(webhook: ResponseWebhook, { egressPolicy }: Rules): Subscription {
  const problem = checkUrl(egressPolicy, webhook.url);
  if (problem) throw new RequestRefused(400, 'egress_blocked', problem, 'webhook.url');
  return { url: webhook.url, events: webhook.events ?? [...DEFAULT_EVENTS], include: webhook.include ?? [] };
}
