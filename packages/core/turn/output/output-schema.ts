import { parseJson, withoutThoughts } from '../../json.ts';
import { withoutFence } from '../../text.ts';
import type { OutputMode } from '../request/output-schema.ts';
import type { TextFormat } from '../request/response.ts';
import type { TurnConfig } from '../request/turn.ts';
import type { ListedTurn, Round, Turn, TurnError } from '../turn.ts';
import { type Violation, violationSentences } from './violation.ts';

type Config = Pick<TurnConfig, 'output_schema'>;

/** How a model of a turn is told the output schema; null if there is none. */
function modeFor({ output_schema: output }: Config, model: string): OutputMode | null {
  return output ? (output.modes?.[model] ?? output.mode) : null;
}

/** Whether the next round is a repair: the last answer broke the schema, and the turn goes on (R25). A retry has one more. */
export function needsRepair({ rounds }: { rounds: readonly Pick<Round, 'violations'>[] }): boolean {
  return (rounds.at(-1)?.violations ?? null) !== null;
}

/** The format that the provider of a model holds its replies to; null if the instructions have the schema, or there is none. */
export function formatFor(config: Config, model: string): TextFormat | null {
  const { output_schema: output } = config;
  if (!output || modeFor(config, model) !== 'native') return null;
  const { name, schema, strict } = output;
  return { type: 'json_schema', name, schema, strict };
}

/** The instructions of a turn for one of its models, with the schema if that model is told it in words. */
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

/** What the model is told of an answer that does not fit, in place of the user. */
export function repairNote(violations: readonly Violation[]): string {
  return [
    'Your answer does not fit the JSON Schema that it has to fit:',
    ...violationSentences(violations).map((sentence) => `- ${sentence}`),
    'Answer again with the whole corrected JSON and nothing else.',
  ].join('\n');
}

/** The failure of a turn whose answer does not fit after its repair either. */
export function unfitError(violations: readonly Violation[]): TurnError {
  const message =
    `After its repair the answer still breaks output_schema: ${violationSentences(violations).join('; ')}. ` +
    'Retry the turn for one more repair, or make the schema easier to meet.';
  return { type: 'output_schema_error', code: 'output_schema_violated', message, retryable: true };
}

/** Whether a turn failed with an answer that does not fit. Its text is the turn's output. */
export function isUnfit({ error }: Pick<Turn, 'error'>): boolean {
  return error?.code === 'output_schema_violated';
}

/** Whether a round ended its turn with an answer that does not fit, itself a repair. A retry may follow. */
export function endedUnfit(rounds: readonly Round[], { number, violations }: Round): boolean {
  return violations !== null && needsRepair({ rounds: rounds.filter((round) => round.number < number) });
}

type Answered = Pick<ListedTurn, 'status' | 'output'> & { config: { output_schema?: unknown } };

/** The answer of a completed turn with an output schema, parsed; null of any other turn. It was checked before it was saved. */
export function parsedOutput({ status, output, config }: Answered): unknown {
  if (status !== 'completed' || output === null || !config.output_schema) return null;
  return parseJson(withoutFence(withoutThoughts(output))) ?? null;
}
