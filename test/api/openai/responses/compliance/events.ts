import type OpenAI from 'openai';
import { z } from 'zod';
import { Annotation } from './hosted-items.ts';
import { Item, OutputText, Refusal, SummaryText } from './items.ts';
import { Resource } from './resource.ts';
import { itemId, taken } from './taken.ts';

type Theirs = OpenAI.Responses.ResponseStreamEvent;
/** An event without its snapshot. `Resource` checks snapshots, since the client's type adds its own fields. */
type Received<Event> = Event extends { response: unknown } ? Omit<Event, 'response'> : Event;
/** The client's type of an event. Some types lack the tool's name, or fields that are always empty. */
type EventOf<Type extends Theirs['type']> = Received<Extract<Theirs, { type: Type }>>;

const sequence_number = z.int().min(0);
const index = z.int().min(0);
const none = z.array(z.never()).max(0);
const inOutput = { sequence_number, output_index: index };
const inMessage = { ...inOutput, item_id: itemId('msg'), content_index: index };
const inReasoning = { ...inOutput, item_id: itemId('rs'), summary_index: index };
const part = z.discriminatedUnion('type', [OutputText, Refusal]);

function event<const Type extends Theirs['type'], Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: z.literal(type), ...shape });
}

const snapshots = (['created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed'] as const).map((what) =>
  event(`response.${what}`, { sequence_number, response: Resource }),
);

const added = taken<EventOf<'response.output_item.added'>>()(
  event('response.output_item.added', { ...inOutput, item: Item }),
);
const done = taken<EventOf<'response.output_item.done'>>()(
  event('response.output_item.done', { ...inOutput, item: Item }),
);

const ofMessages = [
  taken<EventOf<'response.content_part.added'>>()(event('response.content_part.added', { ...inMessage, part })),
  taken<EventOf<'response.content_part.done'>>()(event('response.content_part.done', { ...inMessage, part })),
  taken<EventOf<'response.output_text.delta'>>()(
    event('response.output_text.delta', { ...inMessage, delta: z.string().min(1), logprobs: none }),
  ),
  taken<EventOf<'response.output_text.done'>>()(
    event('response.output_text.done', { ...inMessage, text: z.string(), logprobs: none }),
  ),
  taken<EventOf<'response.refusal.delta'>>()(
    event('response.refusal.delta', { ...inMessage, delta: z.string().min(1) }),
  ),
  taken<EventOf<'response.refusal.done'>>()(event('response.refusal.done', { ...inMessage, refusal: z.string() })),
] as const;

const ofReasoning = [
  taken<EventOf<'response.reasoning_summary_part.added'>>()(
    event('response.reasoning_summary_part.added', { ...inReasoning, part: SummaryText }),
  ),
  taken<EventOf<'response.reasoning_summary_text.delta'>>()(
    event('response.reasoning_summary_text.delta', { ...inReasoning, delta: z.string().min(1) }),
  ),
  taken<EventOf<'response.reasoning_summary_text.done'>>()(
    event('response.reasoning_summary_text.done', { ...inReasoning, text: z.string() }),
  ),
  taken<EventOf<'response.reasoning_summary_part.done'>>()(
    event('response.reasoning_summary_part.done', { ...inReasoning, part: SummaryText }),
  ),
] as const;

const [inFunction, inCustom, inMcp] = (['fc', 'ctc', 'mcp'] as const).map((prefix) => ({
  ...{ ...inOutput, item_id: itemId(prefix) },
})) as [InCall, InCall, InCall];
type InCall = typeof inOutput & { item_id: z.ZodString };
const delta = z.string();

const ofCalls = [
  taken<EventOf<'response.function_call_arguments.delta'>>()(
    event('response.function_call_arguments.delta', { ...inFunction, delta }),
  ),
  taken<EventOf<'response.function_call_arguments.done'>>()(
    event('response.function_call_arguments.done', { ...inFunction, name: z.string(), arguments: z.string() }),
  ),
  taken<EventOf<'response.custom_tool_call_input.delta'>>()(
    event('response.custom_tool_call_input.delta', { ...inCustom, delta }),
  ),
  taken<EventOf<'response.custom_tool_call_input.done'>>()(
    event('response.custom_tool_call_input.done', { ...inCustom, input: z.string() }),
  ),
  taken<EventOf<'response.mcp_call_arguments.delta'>>()(
    event('response.mcp_call_arguments.delta', { ...inMcp, delta }),
  ),
  taken<EventOf<'response.mcp_call_arguments.done'>>()(
    event('response.mcp_call_arguments.done', { ...inMcp, arguments: z.string() }),
  ),
  taken<EventOf<'response.mcp_call.in_progress'>>()(event('response.mcp_call.in_progress', inMcp)),
  taken<EventOf<'response.mcp_call.completed'>>()(event('response.mcp_call.completed', inMcp)),
  taken<EventOf<'response.mcp_call.failed'>>()(event('response.mcp_call.failed', inMcp)),
] as const;

const [inSearch, inCode, inFiles, inImage] = (['ws', 'ci', 'fs', 'ig'] as const).map((prefix) => ({
  ...{ ...inOutput, item_id: itemId(prefix) },
})) as [InCall, InCall, InCall, InCall];

const ofHosted = [
  ...(['in_progress', 'searching', 'completed'] as const).flatMap((phase) => [
    taken<EventOf<`response.web_search_call.${typeof phase}`>>()(event(`response.web_search_call.${phase}`, inSearch)),
    taken<EventOf<`response.file_search_call.${typeof phase}`>>()(event(`response.file_search_call.${phase}`, inFiles)),
  ]),
  ...(['in_progress', 'interpreting', 'completed'] as const).map((phase) =>
    taken<EventOf<`response.code_interpreter_call.${typeof phase}`>>()(
      event(`response.code_interpreter_call.${phase}`, inCode),
    ),
  ),
  ...(['in_progress', 'generating', 'completed'] as const).map((phase) =>
    taken<EventOf<`response.image_generation_call.${typeof phase}`>>()(
      event(`response.image_generation_call.${phase}`, inImage),
    ),
  ),
  taken<EventOf<'response.code_interpreter_call_code.delta'>>()(
    event('response.code_interpreter_call_code.delta', { ...inCode, delta }),
  ),
  taken<EventOf<'response.code_interpreter_call_code.done'>>()(
    event('response.code_interpreter_call_code.done', { ...inCode, code: z.string() }),
  ),
  taken<EventOf<'response.output_text.annotation.added'>>()(
    event('response.output_text.annotation.added', { ...inMessage, annotation_index: index, annotation: Annotation }),
  ),
] as const;

/** An event of a stream, with exactly these fields. */
export const StreamEvent = z.union([...snapshots, added, done, ...ofMessages, ...ofReasoning, ...ofCalls, ...ofHosted]);
export type StreamEvent = z.output<typeof StreamEvent>;
