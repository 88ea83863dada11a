import { mapFields } from '#core/turn/config/config-fields.ts';
import type { ForkRequest } from '#core/turn/forks/fork-request.ts';
import type { GivenOutputSchema, OutputSchema } from '#core/turn/request/output-schema.ts';
import type { GivenTool, TurnTool } from '#core/turn/request/tool.ts';
import type { StandingConfig, TurnConfig } from '#core/turn/request/turn.ts';
import { type Subscription, type Webhook, WebhookEvent } from '#core/turn/request/webhook.ts';
import { mergeConfig, resolveConfig } from '../../../start/resolve-config.ts';
import type { ApiContext } from '../../context.ts';

/** Returns the configuration of a fork or a rerun. Omitted fields are the turn's own. */
type Overrides = Omit<ForkRequest, 'after_round' | 'input' | 'metadata' | 'priority'>;

/** The configuration of the first turn of a fork, and the configuration that later turns inherit. */
export type ForkConfig = { config: TurnConfig; standing: StandingConfig };

/** Returns the configuration of a turn with the fields of a request. Tools that stay are the tools of the turn. */
export async function configOfFork(
  origin: TurnConfig,
  overrides: Overrides,
  context: ApiContext & { project: string; input: unknown },
): Promise<ForkConfig> {
  const tools = origin.tools.map(asOwnTool);
  const standing = mergeConfig(
    { ...standingOf(origin), tools: [...tools.map(asGiven), ...(origin.hosted_tools ?? [])] },
    overrides,
  );
  const known = overrides.tools === undefined ? { tools } : undefined;
  const config = await resolveConfig(withFreeMode(standing, overrides), context, known);
  return { config: { ...ofResponse(origin, overrides), ...config }, standing };
}

/** Returns a turn's own configuration in the form of a request. */
function standingOf(config: TurnConfig): StandingConfig {
  const { output_schema, webhook } = config;
  return {
    // The schemas of the list have checked the values.
    ...(mapFields((_, name) => config[name]) as Partial<TurnConfig> as StandingConfig),
    output_schema: output_schema && schemaOf(output_schema),
    webhook: webhook && asWebhook(webhook),
  };
}

/** No request sets a mode for each model, so the modes of models that differ are chosen again. */
function schemaOf({ modes, ...output }: OutputSchema): StandingConfig['output_schema'] {
  const schema = output.schema as GivenOutputSchema['schema'];
  return { ...output, schema, mode: modes ? null : output.mode };
}

/** A response's webhook may name events that a turn does not have. */
function asWebhook({ url, events, include }: Subscription): Webhook | null {
  const ofTurn = events.flatMap((event) => WebhookEvent.safeParse(event).data ?? []);
  return ofTurn.length === 0 ? null : { url, events: ofTurn, include };
}

/** The client answers calls of a response's functions, while the turn waits. */
function asOwnTool({ handOver, ...tool }: TurnTool): TurnTool {
  return handOver ? { ...tool, execution: { kind: 'client' } } : tool;
}

/** Returns the definition of a tool in the form of a request. */
function asGiven({ operator: _, strict: __, remoteName: ___, ...tool }: TurnTool): GivenTool {
  return tool;
}

/** Other models may enforce the schema in another way. */
function withFreeMode(
  config: StandingConfig,
  { model, fallback_models, output_schema: given }: Overrides,
): StandingConfig {
  const { output_schema: own } = config;
  const hasOthers = Boolean(model ?? fallback_models);
  return hasOthers && given === undefined && own ? { ...config, output_schema: { ...own, mode: null } } : config;
}

/** Fields that only responses accept, and that apply to any turn. */
function ofResponse({ text_format, max_total_output_tokens }: TurnConfig, { output_schema }: Overrides) {
  return {
    ...(text_format && !output_schema && { text_format }),
    ...(max_total_output_tokens && { max_total_output_tokens }),
  };
}
