import { RequestRefused } from '#core/failure.ts';
import { strictSchemaProblem } from '#core/llm/openai/strict-schema.ts';
import { isOpenaiWire, type Provider } from '#core/llm/provider.ts';
import { schemaSource } from '#core/tools/arguments/require-usable.ts';
import { checkSchema } from '#core/tools/define/check-schema.ts';
import type { GivenOutputSchema, OutputMode, OutputSchema } from '#core/turn/request/output-schema.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';

type AskedProvider = Pick<Provider, 'name' | 'capabilities'>;

/** What the form of the answer depends on besides the schema: the models with their providers, the turn's own model first. */
type Asked = Pick<TurnConfig, 'tool_mode' | 'tools'> & {
  project: string;
  models: { model: string; provider: AskedProvider }[];
};

/**
 * The output schema of a turn with its defaults filled in; refuses, with its path, a schema that cannot be checked or asked for
 * (contract-more: structured output).
 */
export async function resolveOutputSchema(
  { name, schema, strict, mode: given }: GivenOutputSchema,
  asked: Asked,
): Promise<OutputSchema> {
  const [problem] = await checkSchema(schema, PLACE, schemaSource(asked.project));
  if (problem) throw new RequestRefused(400, 'invalid_output_schema', problem.message, problem.path);
  const modes = asked.models.map(({ model, provider }) => ({ model, provider, mode: modeFor(given, provider, asked) }));
  const mode = modes[0]?.mode ?? 'native';
  const others = modes.filter((other) => other.mode !== mode).map((other) => [other.model, other.mode] as const);
  const native = modes.flatMap((one) => (one.mode === 'native' ? [one.provider] : []));
  return {
    ...{ name, schema, mode, strict: resolveStrict(schema, strict ?? null, native) },
    ...(others.length > 0 && { modes: Object.fromEntries(others) }),
  };
}

/** Each model is told the schema in its own way; a way that was asked for has to be possible. */
function modeFor(given: OutputMode | null | undefined, provider: AskedProvider, asked: Asked): OutputMode {
  const reason = given === 'instructions' ? null : reasonAgainstNative(provider, asked);
  if (given === 'native' && reason)
    throw new RequestRefused(400, 'unsupported_parameter', reason, 'output_schema.mode');
  return given ?? (reason ? 'instructions' : 'native');
}

const PLACE = 'output_schema.schema';

/** Refuses to give a provider a schema that it cannot hold a reply to. */
export function checkNative(given: GivenOutputSchema | null | undefined, provider: Provider): void {
  const lack = given?.mode === 'native' && lackOf(provider);
  if (lack) throw new RequestRefused(400, 'unsupported_parameter', lack, 'output_schema.mode');
}

function reasonAgainstNative(provider: AskedProvider, { tools, tool_mode }: Asked): string | null {
  const lacking = lackOf(provider);
  if (lacking) return lacking;
  if (tool_mode !== 'inline' || tools.length === 0) return null;
  return `With tool_mode inline, calls stand in the text, which a provider then cannot hold to a schema. ${INSTEAD}`;
}

const INSTEAD = 'Set output_schema.mode to "instructions", or leave it out.';

function lackOf({ name, capabilities }: AskedProvider): string | null {
  return capabilities.structured_outputs ? null : `${name} is configured without structured outputs. ${INSTEAD}`;
}

/**
 * Only OpenAI's two wires have the switch; every wire is asked for the schema, and the answer is checked in any case.
 */
function resolveStrict(
  schema: Record<string, unknown>,
  strict: boolean | null,
  native: readonly AskedProvider[],
): boolean | null {
  if (!native.some(({ capabilities }) => isOpenaiWire(capabilities.wire))) return null;
  const problem = strictSchemaProblem(schema, PLACE);
  if (strict && problem) throw new RequestRefused(400, 'invalid_output_schema', problem.message, problem.path);
  return strict ?? problem === null;
}
