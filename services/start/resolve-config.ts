import { checkUrl } from '#core/egress/check-url.ts';
import { RequestRefused } from '#core/failure.ts';
import type { Provider } from '#core/llm/provider.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { unsupportedField, unusableTier } from '#core/llm/unsupported-parameter.ts';
import { chooseWires, type Wires } from '#core/llm/wires.ts';
import { mayAsk } from '#core/project.ts';
import { quote, shorten } from '#core/text.ts';
import { keepConfig } from '#core/turn/config/kept-config.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import { fillLimits } from '#core/turn/limits.ts';
import type { Tool } from '#core/turn/request/tool.ts';
import type { StandingConfig, TurnConfig } from '#core/turn/request/turn.ts';
import { DEFAULT_EVENTS, type ResponseWebhook, type Subscription } from '#core/turn/request/webhook.ts';
import type { Parts } from '../process/parts.ts';
import {
  type HostedField,
  ownTools,
  refuseInMode,
  refuseOptions,
  refuseUnpriced,
  resolveHosted,
} from './resolve-hosted.ts';
import { resolveModelRetry } from './resolve-model-retry.ts';
import { checkNative, resolveOutputSchema } from './resolve-output-schema.ts';
import { resolveTools, type ToolContext } from './resolve-tools.ts';

/** The parts that check a configuration. The input, in any form, may affect the wires. Hosted tools need a model. */
type Rules = ToolContext & Pick<Parts, 'providers' | 'prices'> & { input?: unknown; isModelUnknown?: boolean };
/** The same parts, with the chosen wires. */
type WireRules = Rules & { wires: Wires };

/**
 * Merges a turn's own fields over its conversation's fields. `null` counts as given and means the default, except for
 * the model.
 */
export function mergeConfig(standing: StandingConfig, own: StandingConfig): StandingConfig {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...inheritedBy(own, standing), ...Object.fromEntries(given), model: own.model ?? standing.model };
}

/** Drops the fallback of a tier if a turn sets another tier, because it does not fit that tier. */
export function inheritedBy(own: StandingConfig, standing: StandingConfig): StandingConfig {
  const isOtherTier = own.service_tier !== undefined && own.service_tier !== standing.service_tier;
  return isOtherTier ? { ...standing, tier_fallback: null } : standing;
}

/** Checks a default configuration. A conversation does not have to name its model. */
export async function checkStanding(config: StandingConfig, rules: Rules): Promise<void> {
  const { model } = config;
  refuseModels(config, rules);
  // Fields that depend on an unknown model are checked with the turn that names it: its price, cache, tiers, headers.
  if (!model) refuseUnusable(config);
  const own = { prompt_cache: null, service_tier: null, tier_fallback: null, provider_headers: null };
  const unknown = { model: 'sim/none', limits: { ...config.limits, max_cost_usd: null }, ...own };
  await (model ? fillConfig(config, rules) : fillConfig({ ...config, ...unknown }, { ...rules, isModelUnknown: true }));
}

/** Refuses a tier with fields that do not fit it. */
function refuseUnusable(config: StandingConfig): void {
  const unusable = unusableTier(config);
  if (unusable) throw new RequestRefused(400, 'unsupported_parameter', unusable.message, unusable.param);
}

/** The configuration in a request. A response's webhook may name more events than a native turn's. */
export type GivenConfig = Omit<StandingConfig, 'webhook'> & { webhook?: ResponseWebhook | null | undefined };

/** Tools that are resolved, and warnings about tools that were left out. */
type KnownTools = Pick<TurnConfig, 'tools' | 'warnings'>;

/**
 * Fills in every default and resolves every tool. Refuses an invalid configuration, with its path. `known` tools,
 * which another turn ran with, are not resolved again.
 */
export async function resolveConfig(config: GivenConfig, rules: Rules, known?: KnownTools): Promise<TurnConfig> {
  refuseModels(config, rules);
  return fillConfig(config, rules, known);
}

/** Refuses models that the project may not use, including fallbacks and the model for summaries. */
function refuseModels({ model, fallback_models, context }: GivenConfig, { projects, project: name }: Rules): void {
  const project = projects.find(name);
  const named = [
    { param: 'model', model },
    ...(fallback_models ?? []).map((fallback, index) => ({ param: `fallback_models[${index}]`, model: fallback })),
    { param: 'context.model', model: context?.model },
  ];
  const refused = named.find((one) => one.model && !mayAsk(project, one.model));
  if (!refused) return;
  const message = `This project may not use ${shorten(refused.model ?? '')}. Name a model of GET /v1/models, or ask the operator.`;
  throw new RequestRefused(403, 'model_not_allowed', message, refused.param);
}

async function fillConfig(config: GivenConfig, given: Rules, known?: KnownTools): Promise<TurnConfig> {
  const { tools, ...left } = known ?? (await toolFields(config, given));
  const hosted = resolveHosted(config);
  const model = nameModel(config.model);
  const rules = { ...given, wires: wiresOf(model, config, given) };
  const asked = { ...config, tools, ...hosted };
  checkModel(model, rules.isModelUnknown ? { ...asked, hosted_tools: [] } : asked, rules);
  const fallbacks = checkFallbacks(model, asked, rules);
  const kept = keepConfig(config);
  const models = [model, ...fallbacks].map((name) => ({
    model: name,
    provider: rules.providers.ofModel(name, rules.wires),
  }));
  const { output_schema: output } = config;
  const resolve = { tools, tool_mode: kept.tool_mode, models, project: rules.project };
  return {
    ...kept,
    model,
    ...(fallbacks.length > 0 && { fallback_models: fallbacks }),
    tools,
    ...hosted,
    tool_choice: checkChoice(config.tool_choice ?? 'auto', asked),
    limits: fillLimits(config.limits),
    ...contextField(config, rules),
    webhook: config.webhook ? subscribe(config.webhook, rules) : null,
    ...(rules.wires && { wires: rules.wires }),
    ...resolveModelRetry(config, rules),
    ...left,
    ...(output && { output_schema: await resolveOutputSchema(output, resolve) }),
  };
}

/** Returns the wires over which the turn asks its models, including the model for summaries. */
function wiresOf(model: string, config: GivenConfig, { providers, input }: Rules): Wires {
  const summarizer = config.context?.model;
  const models = [model, ...(config.fallback_models ?? []), ...(summarizer ? [summarizer] : [])];
  return chooseWires({ models, config, input }, providers);
}

/** Returns the tools, and warnings about tools that are left out, if any. */
async function toolFields({ tools }: GivenConfig, rules: Rules): Promise<KnownTools> {
  const resolved = await resolveTools(ownTools(tools ?? []), rules);
  return resolved.warnings.length > 0 ? resolved : { tools: resolved.tools };
}

function nameModel(model: string | null | undefined): string {
  if (model) return model;
  const message = 'Name the model as provider/model, here or in the conversation, for example openai/gpt-4.1.';
  throw new RequestRefused(400, 'missing_field', message, 'model');
}

type AskedConfig = Omit<GivenConfig, 'tools'> & { tools: Tool[] } & HostedField;

/** Refuses fields that a model does not support. Applies to `model` and to each fallback. */
function checkModel(model: string, config: AskedConfig, rules: WireRules): void {
  const provider = rules.providers.ofModel(model, rules.wires);
  const unsupported = unsupportedField(provider, config);
  if (unsupported) throw new RequestRefused(400, 'unsupported_parameter', unsupported.message, unsupported.param);
  checkMode(config, provider);
  checkNative(config.output_schema, provider);
  checkPrice(model, config, rules);
}

/** Refuses a cost limit if a model of the turn has no price. */
function checkPrice(
  model: string,
  { limits, service_tier: tier, hosted_tools: hosted = [] }: Pick<GivenConfig, 'limits' | 'service_tier'> & HostedField,
  { prices }: Rules,
): void {
  if (!limits?.max_cost_usd) return;
  if (prices.has(model, tier)) {
    refuseUnpriced(model, hosted, prices);
    return;
  }
  const where = prices.has(model) ? ` on ${tier}` : '';
  const message =
    `${model} has no price${where}, so its cost cannot be limited. Add the price to PAWL_PRICES, or ` +
    'leave out `max_cost_usd`.';
  throw new RequestRefused(400, 'unsupported_parameter', message, 'limits.max_cost_usd');
}

/** Returns the fallbacks, each once, without the model itself. A refusal names the fallback. */
function checkFallbacks(model: string, config: AskedConfig, rules: WireRules): string[] {
  const given = config.fallback_models ?? [];
  const wireOf = (name: string) => rules.providers.ofModel(name, rules.wires).capabilities.wire;
  for (const [index, fallback] of given.entries()) {
    // The options apply only to the provider of the model. Caching changes only the price, so any fallback is
    // allowed.
    const isSame = splitModel(fallback).provider === splitModel(model).provider;
    const asked = { ...config, prompt_cache: null, ...(isSame ? {} : { provider_options: null }) };
    atField(`fallback_models[${index}]`, () => {
      checkModel(fallback, asked, rules);
      if (!rules.isModelUnknown && wireOf(fallback) !== wireOf(model)) refuseOptions(config, fallback);
    });
  }
  return [...new Set(given)].filter((fallback) => fallback !== model);
}

/** Checks the model for summaries, which is asked for text only. */
function contextField({ context: given, limits }: GivenConfig, rules: Rules): Pick<TurnConfig, 'context'> {
  if (!given) return {};
  const { strategy, max_input_tokens = null, model = null } = given;
  if (model) {
    atField('context.model', () => {
      rules.providers.ofModel(model);
      checkPrice(model, { limits }, rules);
    });
  }
  if (strategy === 'none') return {};
  return { context: { strategy, max_input_tokens, keep_last_rounds: given.keep_last_rounds ?? KEPT_ROUNDS, model } };
}

const KEPT_ROUNDS = 4;

/** Runs a check, and sets this field in its refusal. */
function atField(param: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    throw new RequestRefused(error.status, error.code, error.message, param);
  }
}

function checkChoice(choice: ToolChoice, { tools, hosted_tools = [] }: AskedConfig): ToolChoice {
  if (choice === 'required' && tools.length + hosted_tools.length === 0) {
    throw new RequestRefused(
      400,
      'invalid_value',
      '`tool_choice` is "required", but no tools are given. Add a tool.',
      'tool_choice',
    );
  }
  if (typeof choice === 'object' && !tools.some((tool) => tool.name === choice.name)) {
    const message = `\`tool_choice\` names ${quote(choice.name)}, which is not among the tools. Add the tool, or name another tool.`;
    throw new RequestRefused(400, 'invalid_value', message, 'tool_choice.name');
  }
  return choice;
}

function checkMode(
  { tool_mode: mode, tools, hosted_tools: hosted = [] }: AskedConfig,
  { name, capabilities }: Provider,
): void {
  refuseInMode(hosted, mode);
  if ((mode ?? 'native') !== 'native' || tools.length === 0 || capabilities.tools) return;
  const message = `${name} does not support tool calls. Set \`tool_mode\` to "emulated" or "inline".`;
  throw new RequestRefused(400, 'tools_not_supported', message, 'tool_mode');
}

function subscribe(webhook: ResponseWebhook, { egressPolicy }: Rules): Subscription {
  const problem = checkUrl(egressPolicy, webhook.url);
  if (problem) throw new RequestRefused(400, 'egress_blocked', problem, 'webhook.url');
  return { url: webhook.url, events: webhook.events ?? [...DEFAULT_EVENTS], include: webhook.include ?? [] };
}
