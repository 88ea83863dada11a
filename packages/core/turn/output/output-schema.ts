import { parseJson, withoutThoughts } from '../../json.ts';
import { withoutFence } from '../../text.ts';
import type { OutputMode } from '../request/output-schema.ts';
import type { TextFormat } from '../request/response.ts';
import type { TurnConfig } from '../request/turn.ts';
import type { ListedTurn, Round, Turn, TurnError } from '../turn.ts';
import { type Violation, violationSentences } from './violation.ts';

type Config = Pick<TurnConfig, 'output_schema'>;

/** Returns how a model of a turn receives the output schema, or null if there is no schema. */
function modeFor({ output_schema: output }: Config, model: string): OutputMode | null {
  return output ? (output.modes?.[model] ?? output.mode) : null;
}

/**
 * Returns whether the next round is a repair: the last answer broke the schema and the turn continues (R25). A retry
 * has one more repair.
 */
export function needsRepair({ rounds }: { rounds: readonly Pick<Round, 'violations'>[] }): boolean {
  return (rounds.at(-1)?.violations ?? null) !== null;
}

/**
 * Returns the format for the provider of a model, or null if the instructions have the schema or there is no schema.
 */
export function formatFor(config: Config, model: string): TextFormat | null {
  const { output_schema: output } = config;
  if (!output || modeFor(config, model) !== 'native') return null;
  const { name, schema, strict } = output;
  return { type: 'json_schema', name, schema, strict };
}

/** Returns the instructions for one of a turn's models, with the schema if that model receives it as text. */
export function withSchema(config: Config & Pick<TurnConfig, 'instructions'>, model: string): string | null {
  const { output_schema: output, instructions } = config;
  if (!output || modeFor(config, model) !== 'instructions') return instructions;
  const demand = [
    '# Answer',
    '',
    'Your final answer has to be one JSON object and nothing else: no prose before or after it, no code fence.',
    `It has to fit this JSON Schema, which is called "${output.name}":`,
    JSON.stringify(output.schema),
  ].join('\n');
  return instructions ? `${instructions}\n\n${demand}` : demand;
}

/** Returns the message to the model about an answer that breaks the schema. It replaces a user's message. */
export function repairNote(violations: readonly Violation[]): string {
  return [
    'Your answer does not fit the JSON Schema that it has to fit:',
    ...violationSentences(violations).map((sentence) => `- ${sentence}`),
    'Answer again with the whole corrected JSON and nothing else.',
  ].join('\n');
}

/** Returns the failure of a turn after the repaired answer breaks the schema too. */
export function invalidOutputError(violations: readonly Violation[]): TurnError {
  const message =
    `The repaired answer still does not match output_schema: ${violationSentences(violations).join('; ')}. ` +
    'Retry the turn for another repair, or simplify the schema.';
  return { type: 'output_schema_error', code: 'output_schema_violated', message, retryable: true };
}

/** Returns whether a turn failed because its answer broke the schema. The answer's text is the turn's output. */
export function hasInvalidOutput({ error }: Pick<Turn, 'error'>): boolean {
  return error?.code === 'output_schema_violated';
}

/** Returns whether a round ended its turn with a repaired answer that breaks the schema. A retry may follow. */
export function isInvalidEnding(rounds: readonly Round[], { number, violations }: Round): boolean {
  return violations !== null && needsRepair({ rounds: rounds.filter((round) => round.number < number) });
}

type Answered = Pick<ListedTurn, 'status' | 'output'> & { config: { output_schema?: unknown } };

/**
 * Returns the parsed answer of a completed turn with an output schema, or null for any other turn. The answer was
 * checked before it was saved.
 */
export function parsedOutput({ status, output, config }: Answered): unknown {
  if (status !== 'completed' || output === null || !config.output_schema) return null;
  return parseJson(withoutFence(withoutThoughts(output))) ?? null;
}
