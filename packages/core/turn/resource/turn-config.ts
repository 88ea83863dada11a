import { type ConfigName, mapFields } from '../config/config-fields.ts';
import { groupConfig, type StoredValue } from '../config/kept-config.ts';
import type { TurnTool } from '../request/tool.ts';
import type { TurnConfig } from '../request/turn.ts';

/** Returns the configuration of a turn with the names of its request. References such as `${secret:name}` stay. */
export function presentTurnConfig(config: TurnConfig) {
  const { limits, context, allowed_capabilities, provider_options, provider_headers, ...first } = showFields(config);
  const { model_retry, webhook, ...shown } = first;
  return {
    ...shown,
    model: config.model,
    tools: [...config.tools.map(presentTool), ...(config.hosted_tools ?? [])],
    output_schema: config.output_schema ? presentSchema(config.output_schema) : null,
    wires: config.wires ?? {},
    limits: config.limits,
    context: config.context ?? null,
    ...{ allowed_capabilities, provider_options, provider_headers },
    model_retry: config.model_retry ?? null,
    webhook: config.webhook && { ...config.webhook, events: config.webhook.events.map(String) },
  };
}

function showFields(config: TurnConfig) {
  const shown = mapFields(({ byDefault }, name) => config[name] ?? byDefault);
  // The schemas of the list have checked the values.
  return groupConfig(shown as { [Name in ConfigName]: StoredValue<Name> });
}

/** Returns a tool's definition for the model and its rules, without internal fields. */
export function presentTool({ operator: _, handOver: __, strict: ___, remoteName: ____, ...tool }: TurnTool) {
  return tool;
}

/** Returns the schema with the mode of the turn's own model. Rounds show the requests to fallback models. */
function presentSchema({ name, schema, strict, mode }: NonNullable<TurnConfig['output_schema']>) {
  return { name, schema, strict, mode };
}
