import { mapFields } from '#core/turn/config/config-fields.ts';
import type { ForkRequest } from '#core/turn/forks/fork-request.ts';
import type { GivenOutputSchema, OutputSchema } from '#core/turn/request/output-schema.ts';
import type { GivenTool, TurnTool } from '#core/turn/request/tool.ts';
import type { StandingConfig, TurnConfig } from '#core/turn/request/turn.ts';
import { type Subscription, type Webhook, WebhookEvent } from '#core/turn/request/webhook.ts';
import { mergeConfig, resolveConfig } from '../../../start/resolve-config.ts';
import type { ApiContext } from '../../context.ts';

/** The configuration that a request gives, of a fork or a rerun: what it leaves out is the turn's own. */
type Overrides = Omit<ForkRequest, 'after_round' | 'input' | 'metadata' | 'priority'>;

/** How the first turn of a fork is worked, and what later turns of its conversation inherit. */
export type ForkConfig = { config: TurnConfig; standing: StandingConfig };

/** The configuration of a turn with what a request gives in its place. Tools that stay are those of the turn. */
export async function configOfFork(
  origin: TurnConfig,
  overrides: Overrides,
  context: ApiContext & { project: string; input: unknown },
): Promise<ForkConfig> {
  const tools = origin.tools.map(asOwnTool);
  const standing = mergeConfig({ ...standingOf(origin), tools: tools.map(asGiven) }, overrides);
  const known = overrides.tools === undefined ? tools : undefined;
  const config = await resolveConfig(withFreeMode(standing, overrides), context, known);
  return { config: { ...ofResponse(origin, overrides), ...config }, standing };
}

/** A turn's own configuration, as a request would give it. */
function standingOf(config: TurnConfig): StandingConfig {
  const { output_schema, webhook } = config;
  return {
    // The schemas of the list have checked the values.
    ...(mapFields((_, name) => config[name]) as Partial<TurnConfig> as StandingConfig),
    output_schema: output_schema && schemaOf(output_schema),
    webhook: webhook && asWebhook(webhook),
  };
}

/** No request names a mode for each model, so the mode of models that differ is chosen again. */
function schemaOf({ modes, ...output }: OutputSchema): StandingConfig['output_schema'] {
  const schema = output.schema as GivenOutputSchema['schema'];
  return { ...output, schema, mode: modes ? null : output.mode };
}

/** A response's webhook may name events that no turn has. */
function asWebhook({ url, events, include }: Subscription): Webhook | null {
  const ofTurn = events.flatMap((event) => WebhookEvent.safeParse(event).data ?? []);
  return ofTurn.length === 0 ? null : { url, events: ofTurn, include };
}

/** Calls of a response's functions are answered by the client, while the turn waits for them. */
function asOwnTool({ handOver, ...tool }: TurnTool): TurnTool {
  return handOver ? { ...tool, execution: { kind: 'client' } } : tool;
}

/** The definition of a tool, as a request would give it. */
function asGiven({ operator: _, strict: __, remoteName: ___, ...tool }: TurnTool): GivenTool {
  return tool;
}

/** Other models may hold their answers to the schema in another way. */
function withFreeMode(
  config: StandingConfig,
  { model, fallback_models, output_schema: given }: Overrides,
): StandingConfig {
  const { output_schema: own } = config;
  const hasOthers = Boolean(model ?? fallback_models);
  return hasOthers && given === undefined && own ? { ...config, output_schema: { ...own, mode: null } } : config;
}

/** What only responses are given, and any turn is worked with. */
function ofResponse({ text_format, max_total_output_tokens }: TurnConfig, { output_schema }: Overrides) {
  return {
    ...(text_format && !output_schema && { text_format }),
    ...(max_total_output_tokens && { max_total_output_tokens }),
  };
}
