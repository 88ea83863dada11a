import { RequestRefused } from '#core/failure.ts';
import { strictSchemaProblem } from '#core/llm/openai/strict-schema.ts';
import { isOpenaiWire, type Provider } from '#core/llm/provider.ts';
import { schemaSource } from '#core/tools/arguments/require-usable.ts';
import { checkSchema } from '#core/tools/define/check-schema.ts';
import type { GivenOutputSchema, OutputMode, OutputSchema } from '#core/turn/request/output-schema.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';

type AskedProvider = Pick<Provider, 'name' | 'capabilities'>;

/**
 * The data that the form of the answer depends on, besides the schema: the models with their providers, the turn's
 * own model first.
 */
type Asked = Pick<TurnConfig, 'tool_mode' | 'tools'> & {
  project: string;
  models: { model: string; provider: AskedProvider }[];
};

/**
 * Returns the output schema of a turn with its defaults filled in. Refuses a schema that cannot be checked or
 * requested, with its path.
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

/** Returns the way in which a model receives the schema. A requested way must be possible. */
function modeFor(given: OutputMode | null | undefined, provider: AskedProvider, asked: Asked): OutputMode {
  const reason = given === 'instructions' ? null : reasonAgainstNative(provider, asked);
  if (given === 'native' && reason)
    throw new RequestRefused(400, 'unsupported_parameter', reason, 'output_schema.mode');
  return given ?? (reason ? 'instructions' : 'native');
}

const PLACE = 'output_schema.schema';

/** Refuses a schema that a provider cannot enforce. */
export function checkNative(given: GivenOutputSchema | null | undefined, provider: Provider): void {
  const lack = given?.mode === 'native' && lackOf(provider);
  if (lack) throw new RequestRefused(400, 'unsupported_parameter', lack, 'output_schema.mode');
}

function reasonAgainstNative(provider: AskedProvider, { tools, tool_mode }: Asked): string | null {
  const lacking = lackOf(provider);
  if (lacking) return lacking;
  if (tool_mode !== 'inline' || tools.length === 0) return null;
  const problem = 'With `tool_mode` "inline", calls are part of the text, so the provider cannot enforce a schema.';
  return `${problem} ${INSTEAD}`;
}

const INSTEAD = 'Set `output_schema.mode` to "instructions", or leave it out.';

function lackOf({ name, capabilities }: AskedProvider): string | null {
  return capabilities.structured_outputs ? null : `${name} is configured without structured outputs. ${INSTEAD}`;
}

/** Only OpenAI's two wires have the switch. Every wire receives the schema, and Pawl checks the answer in any case. */
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
