import { z } from '@hono/zod-openapi';
import { exampleOf } from '../../../schemas/fields/example-of.ts';
import { OutputItem, OutputPart } from './output-item.ts';
import { ResponseObject } from './response-object.ts';

const index = (what: string) => z.int().min(0).describe(`Its place ${what}.`);
const logprobs = z.array(z.unknown()).describe('Always empty.');

/** What each field of an event is. */
const fields = {
  response: ResponseObject,
  item: OutputItem,
  part: OutputPart.describe('The part: empty when it is added, whole when it is done.'),
  summary_part: z
    .object({ type: z.literal('summary_text'), text: z.string().describe('The text.') })
    .describe('The part: empty when it is added, whole when it is done.'),
  item_id: z.string().describe('The id of the item.'),
  output_index: index('in the output'),
  content_index: index('in the content of its item'),
  summary_index: index('in the summary of its item'),
  delta: z.string().describe('What follows.'),
  text: z.string().describe('All of the text.'),
  refusal: z.string().describe('All of the refusal.'),
  arguments: z.string().describe('All of the arguments: JSON, as the model wrote it.'),
  input: z.string().describe('All of the input.'),
  name: z.string().describe('The name of the tool.'),
  logprobs,
} satisfies Record<string, z.ZodType>;
type Field = keyof typeof fields;

const inOutput: Field[] = ['item_id', 'output_index'];
const inContent: Field[] = [...inOutput, 'content_index'];
const inSummary: Field[] = [...inOutput, 'summary_index'];

/** Every type of an event, what it says, and which fields it has (contract-responses R42). */
const events: Record<string, { says: string; has: Field[] }> = {
  'response.created': { says: 'The response as it was created.', has: ['response'] },
  'response.queued': { says: 'The response waits; only in the background.', has: ['response'] },
  'response.in_progress': { says: 'Work on the response has begun.', has: ['response'] },
  'response.output_item.added': { says: 'An item begins; nothing is in it yet.', has: ['output_index', 'item'] },
  'response.output_item.done': { says: 'An item is whole, and stays as it is.', has: ['output_index', 'item'] },
  'response.content_part.added': { says: 'A part of a message begins.', has: [...inContent, 'part'] },
  'response.content_part.done': { says: 'A part of a message is whole.', has: [...inContent, 'part'] },
  'response.output_text.delta': { says: 'Text, as the model writes it.', has: [...inContent, 'delta', 'logprobs'] },
  'response.output_text.done': { says: 'The text of a part is whole.', has: [...inContent, 'text', 'logprobs'] },
  'response.refusal.delta': { says: 'A refusal, as the model writes it.', has: [...inContent, 'delta'] },
  'response.refusal.done': { says: 'A refusal is whole.', has: [...inContent, 'refusal'] },
  'response.reasoning_summary_part.added': { says: 'The model begins to think.', has: [...inSummary, 'summary_part'] },
  'response.reasoning_summary_text.delta': { says: 'What the model thinks.', has: [...inSummary, 'delta'] },
  'response.reasoning_summary_text.done': { says: 'What the model thought.', has: [...inSummary, 'text'] },
  'response.reasoning_summary_part.done': { says: 'The thoughts are whole.', has: [...inSummary, 'summary_part'] },
  'response.function_call_arguments.delta': {
    says: 'Arguments of a function, all at once.',
    has: [...inOutput, 'delta'],
  },
  'response.function_call_arguments.done': {
    says: 'The arguments of a function are whole.',
    has: [...inOutput, 'name', 'arguments'],
  },
  'response.custom_tool_call_input.delta': {
    says: 'Input of a custom tool, all at once.',
    has: [...inOutput, 'delta'],
  },
  'response.custom_tool_call_input.done': { says: 'The input of a custom tool is whole.', has: [...inOutput, 'input'] },
  'response.mcp_call_arguments.delta': {
    says: 'Arguments of a call that Pawl runs, all at once.',
    has: [...inOutput, 'delta'],
  },
  'response.mcp_call_arguments.done': {
    says: 'The arguments of a call that Pawl runs are whole.',
    has: [...inOutput, 'arguments'],
  },
  'response.mcp_call.in_progress': { says: 'Pawl runs a call.', has: inOutput },
  'response.mcp_call.completed': { says: 'A call that Pawl ran has its result.', has: inOutput },
  'response.mcp_call.failed': { says: 'A call that Pawl ran has failed.', has: inOutput },
  'response.completed': { says: 'The response has ended, as it is now.', has: ['response'] },
  'response.incomplete': { says: 'It has ended before its answer was whole, or was cancelled.', has: ['response'] },
  'response.failed': { says: 'The response has failed, as it is now.', has: ['response'] },
};

const response = exampleOf(ResponseObject) as {
  output: [{ id: string; content: object[] }];
};
const [item] = response.output;
const example: Record<Field, unknown> = {
  ...{ response, item, item_id: item.id, output_index: 0, content_index: 0, summary_index: 0 },
  ...{ part: item.content[0], summary_part: { type: 'summary_text', text: 'They want a greeting.' } },
  ...{ delta: 'Hello', text: 'Hello, Ada.', refusal: 'I cannot help with that.', name: 'get_weather' },
  ...{ arguments: '{"city":"Lisbon"}', input: '*** Begin Patch', logprobs: [] },
};

const number = z
  .int()
  .min(0)
  .describe('Its place in the log of the response: it grows with each event, with gaps behind texts.');

const StreamError = z
  .object({
    type: z.literal('error'),
    sequence_number: number,
    code: z.string().describe('Why the stream ends, as one word: `stream_superseded` where the model began again.'),
    message: z.string().describe('Why, and what to do about it, in a sentence.'),
    param: z.null().describe('Always null.'),
  })
  .meta({
    id: 'ResponseErrorEvent',
    description: 'This stream ends here, without `[DONE]`. The response itself goes on.',
    examples: [
      {
        ...{ type: 'error', sequence_number: 17, code: 'stream_superseded', param: null },
        message: 'The model began this reply again and says something else. Ask for the stream again.',
      },
    ],
  });

/** An event of a response's stream, as OpenAI’s clients read it (contract-responses R42, R46). */
export const ResponseStreamEvent = z.discriminatedUnion('type', [StreamError, ...schemasOf()]).meta({
  id: 'ResponseStreamEvent',
  description: 'What a stream of a response tells: the `data` of one message. After the last one comes `[DONE]`.',
});

function schemasOf() {
  return Object.entries(events).map(([type, { says, has }]) =>
    z.object({ type: z.literal(type), sequence_number: number, ...valuesOf<z.ZodType>(fields, has) }).meta({
      id: nameEvent(type),
      description: says,
      examples: [{ type, sequence_number: 4, ...valuesOf(example, has) }],
    }),
  );
}

function valuesOf<Value>(all: Record<Field, Value>, names: Field[]): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name === 'summary_part' ? 'part' : name, all[name]]));
}

/** What the schema of an event is called: `response.output_text.delta` is a ResponseOutputTextDeltaEvent. */
function nameEvent(type: string): string {
  return `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
