import { RequestRefused } from '#core/failure.ts';
import type { Prices } from '#core/llm/by-model/prices.ts';
import { CAPABILITY_OF, type HostedTool, isHosted } from '#core/turn/hosted/hosted-tool.ts';
import type { StandingConfig, TurnConfig } from '#core/turn/request/turn.ts';

type GivenTools = NonNullable<StandingConfig['tools']>;

/** The hosted tools of a turn as a field, if it has any. */
export type HostedField = Pick<TurnConfig, 'hosted_tools'>;

/** Returns the tools that Pawl or the client runs, with their positions in the request. */
export function ownTools(given: GivenTools) {
  return given.flatMap((tool, at) => (isHosted(tool) ? [] : [{ tool, at }]));
}

/**
 * Returns the tools that the provider runs. Refuses a kind that is given twice, a kind with a capability that the
 * turn does not allow, and options that name another kind.
 */
export function resolveHosted({
  tools,
  allowed_capabilities: allowed,
}: Pick<StandingConfig, 'tools' | 'allowed_capabilities'>): HostedField {
  const placed = (tools ?? []).flatMap((tool, at) => (isHosted(tool) ? [{ tool, at }] : []));
  const kinds = placed.map(({ tool }) => tool.type);
  for (const [index, { tool, at }] of placed.entries()) {
    if (kinds.indexOf(tool.type) < index) refuse(at, `${tool.type} is given twice. Give each hosted tool once.`);
    refuseOtherKind(tool, at);
    const capability = CAPABILITY_OF[tool.type];
    if (capability && allowed && !allowed.includes(capability)) {
      refuse(
        at,
        `${tool.type} needs the capability "${capability}". Add it to allowed_capabilities, or leave the tool out.`,
      );
    }
  }
  return placed.length > 0 ? { hosted_tools: placed.map(({ tool }) => withoutNull(tool)) } : {};
}

/** Refuses options with the type of another tool, since only the given type's capability and price are checked. */
function refuseOtherKind({ type, options }: HostedTool, at: number): void {
  if (!options || !Object.hasOwn(options, 'type')) return;
  const { type: version } = options;
  const name = type === 'code_execution' ? '(code_execution|code_interpreter)' : type;
  if (typeof version === 'string' && new RegExp(`^${name}(_\\w+)?$`).test(version)) return;
  refuse(at, `options.type is no version of ${type}. Give a version, or leave it out.`, 'options.type');
}

/** Refuses options of hosted tools for a fallback on another wire, which has other names and rules. */
export function refuseOptions({ hosted_tools: hosted = [] }: HostedField, fallback: string): void {
  const tool = hosted.find(({ options }) => Object.keys(options ?? {}).length > 0);
  if (!tool) return;
  const message = `The options of ${tool.type} do not fit ${fallback}, which has another wire. Leave the options or the fallback out.`;
  throw new RequestRefused(400, 'unsupported_parameter', message);
}

/** Refuses a cost limit if a hosted tool of a model has no price. */
export function refuseUnpriced(model: string, hosted: readonly HostedTool[], prices: Prices): void {
  const free = hosted.find(({ type }) => !prices.hasHosted(model, type));
  if (!free) return;
  const message =
    `${free.type} of ${model} has no price, so its cost cannot be limited. Add the price to "hosted" in ` +
    'PAWL_PRICES, or leave out `max_cost_usd`.';
  throw new RequestRefused(400, 'unsupported_parameter', message, 'limits.max_cost_usd');
}

/** Refuses hosted tools in a mode that writes tools into the prompt. */
export function refuseInMode(hosted: readonly HostedTool[], mode: StandingConfig['tool_mode']): void {
  if (hosted.length === 0 || !mode || mode === 'native') return;
  const message = `Hosted tools are not supported in tool_mode "${mode}". Set tool_mode to "native", or leave them out.`;
  throw new RequestRefused(400, 'unsupported_parameter', message, 'tool_mode');
}

function withoutNull({ type, options }: HostedTool): HostedTool {
  return options ? { type, options } : { type };
}

function refuse(at: number, message: string, field = 'type'): never {
  throw new RequestRefused(400, 'invalid_tool', `tools[${at}]: ${message}`, `tools[${at}].${field}`);
}
