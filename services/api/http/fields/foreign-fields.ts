import type { z } from 'zod';
import type { RequestRefused } from '#core/failure.ts';
import { explainIssues } from '../issues.ts';

/** The advice for a field of another API: in a turn request, and in the requests of OpenAI's two APIs. */
type Advice = { turn: string | null; response: string | null };

const both = (advice: string): Advice => ({ turn: advice, response: advice });
const turn = (advice: string): Advice => ({ turn: advice, response: null });
const response = (advice: string): Advice => ({ turn: null, response: advice });

const STRUCTURED = { turn: 'Use `output_schema`.', response: 'Use `text.format`.' };
const FOLLOW = 'POST to `/v1/conversations/:id/turns` to continue a conversation.';
const LONGEST = both('Use `max_output_tokens`.');
const TOOL = both('Put `name`, `description` and `parameters` into the tool itself.');
const OPTION = turn('Use `provider_options`.');

/** Fields of Responses and of turns that have another name in Chat Completions. */
const COMPLETION_ADVICE = new Map([
  ['input', 'Use `messages`.'],
  ['instructions', 'Begin `messages` with a system message.'],
  ['system', 'Begin `messages` with a system message.'],
  ['max_output_tokens', 'Use `max_completion_tokens`.'],
  ['text', 'Use `response_format` and `verbosity`.'],
  ['output_schema', 'Use `response_format`.'],
  ['reasoning', 'Use `reasoning_effort`.'],
  ['thinking', 'Use `reasoning_effort`.'],
  ['previous_response_id', 'Use `pawl.previous_completion_id`.'],
  ['background', 'A client waits for a completion: use `POST /v1/responses`.'],
  ['stop_sequences', 'Use `stop`.'],
  ['limits', 'Use `pawl.limits`.'],
  ['max_tool_calls', 'Use `pawl.limits.max_tool_calls`.'],
  ['tools[].name', 'Put `name` into `function`.'],
]);

/** Fields that callers know from Chat Completions, Responses and Messages. A list is written as `tools[]`. */
const ADVICE = new Map<string, Advice>([
  ['messages', both('Use `input`.')],
  ['prompt', turn('Use `input`.')],
  ['system', both('Use `instructions`.')],
  ['system_prompt', both('Use `instructions`.')],
  ['max_tokens', LONGEST],
  ['max_completion_tokens', LONGEST],
  ['max_tool_calls', turn('Use `limits.max_tool_calls`.')],
  ['response_format', STRUCTURED],
  ['text', turn(STRUCTURED.turn)],
  ['output_schema', response(STRUCTURED.response)],
  ['functions', both('Use `tools`.')],
  ['function_call', both('Use `tool_choice`.')],
  ['tools[].function', TOOL],
  ['tools[].input_schema', both('Use `parameters`.')],
  ['tool_choice.function', both('Put `name` into `tool_choice` itself.')],
  ['reasoning', turn('Use `reasoning_effort`.')],
  ['reasoning_effort', response('Use `reasoning.effort`.')],
  ['thinking', { turn: 'Use `reasoning_effort`.', response: 'Use `reasoning.effort`.' }],
  ['verbosity', response('Use `text.verbosity`.')],
  ['stream', turn('Read the text while it is written at `GET /v1/turns/:id/events`.')],
  ['stream_options', turn('Read the text while it is written at `GET /v1/turns/:id/events`.')],
  ['n', both('Send a request for each answer.')],
  ['user', turn('Use `metadata`.')],
  ['store', turn('Leave it out: a turn is always stored.')],
  ['background', turn('Leave it out: a turn always runs in the background.')],
  ['previous_response_id', turn(FOLLOW)],
  ['conversation', turn(FOLLOW)],
  ['conversation_id', { turn: FOLLOW, response: 'Use `conversation`.' }],
  ['stop_sequences', turn('Use `stop`.')],
  ...[
    ...['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'top_k', 'service_tier'],
    ...['prompt_cache_key', 'safety_identifier'],
  ].map((name): [string, Advice] => [name, OPTION]),
]);

/** Explains the problems of a turn request. For a field of another API, it names the field of Pawl. */
export function explainTurnIssues(issues: z.core.$ZodIssue[]): RequestRefused {
  return explainIssues(issues, (param) => foreignFieldAdvice('turn', param));
}

/**
 * Returns the sentence for a field that this kind of request does not have, but another API has. Null for other
 * fields.
 */
export function foreignFieldAdvice(kind: keyof Advice | 'completion', param: string): string | null {
  // A schedule has its turn request in `turn`.
  const name = param.replace(/^turn\./, '').replaceAll(/\[\d+\]/g, '[]');
  const advice = kind === 'completion' ? COMPLETION_ADVICE.get(name) : ADVICE.get(name)?.[kind];
  return advice ? `\`${param}\` is not a field of a ${kind}. ${advice}` : null;
}
