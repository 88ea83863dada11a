import { z } from '@hono/zod-openapi';
import { exampleOf } from '../../../schemas/fields/example-of.ts';
import { OutputAnnotation } from './hosted-call-item.ts';
import { OutputItem, OutputPart } from './output-item.ts';
import { ResponseObject } from './response-object.ts';

const index = (what: string) => z.int().min(0).describe(`The position ${what}.`);
const logprobs = z.array(z.unknown()).describe('Always empty.');

/** The schema of each field of an event. */
const fields = {
  response: ResponseObject,
  item: OutputItem,
  part: OutputPart.describe('The part. Empty when it is added, complete when it is done.'),
  summary_part: z
    .object({ type: z.literal('summary_text'), text: z.string().describe('The text.') })
    .describe('The part. Empty when it is added, complete when it is done.'),
  item_id: z.string().describe('The id of the item.'),
  output_index: index('in the output'),
  content_index: index('in the content of its item'),
  summary_index: index('in the summary of its item'),
  delta: z.string().describe('The next piece of the text.'),
  text: z.string().describe('The complete text.'),
  refusal: z.string().describe('The complete refusal.'),
  arguments: z.string().describe('The complete arguments: JSON, as the model wrote it.'),
  input: z.string().describe('The complete input.'),
  name: z.string().describe('The name of the tool.'),
  logprobs,
  code: z.string().describe('The complete code.'),
  annotation: OutputAnnotation.describe('The source.'),
  annotation_index: index('among the annotations of its part'),
} satisfies Record<string, z.ZodType>;
type Field = keyof typeof fields;

const inOutput: Field[] = ['item_id', 'output_index'];
const inContent: Field[] = [...inOutput, 'content_index'];
const inSummary: Field[] = [...inOutput, 'summary_index'];

/** Every type of an event, its description, and its fields. */
const events: Record<string, { says: string; has: Field[] }> = {
  'response.created': { says: 'The response was created.', has: ['response'] },
  'response.queued': { says: 'The response is queued. Only in the background.', has: ['response'] },
  'response.in_progress': { says: 'The response is running.', has: ['response'] },
  'response.output_item.added': { says: 'An item begins. It is still empty.', has: ['output_index', 'item'] },
  'response.output_item.done': { says: 'An item is complete and final.', has: ['output_index', 'item'] },
  'response.content_part.added': { says: 'A part of a message begins.', has: [...inContent, 'part'] },
  'response.content_part.done': { says: 'A part of a message is complete.', has: [...inContent, 'part'] },
  'response.output_text.delta': {
    says: 'A piece of text, as the model writes it.',
    has: [...inContent, 'delta', 'logprobs'],
  },
  'response.output_text.done': { says: 'The text of a part is complete.', has: [...inContent, 'text', 'logprobs'] },
  'response.refusal.delta': { says: 'A piece of a refusal, as the model writes it.', has: [...inContent, 'delta'] },
  'response.refusal.done': { says: 'A refusal is complete.', has: [...inContent, 'refusal'] },
  'response.reasoning_summary_part.added': {
    says: 'The model begins its reasoning.',
    has: [...inSummary, 'summary_part'],
  },
  'response.reasoning_summary_text.delta': { says: 'A piece of the reasoning.', has: [...inSummary, 'delta'] },
  'response.reasoning_summary_text.done': { says: 'The complete text of the reasoning.', has: [...inSummary, 'text'] },
  'response.reasoning_summary_part.done': { says: 'The reasoning is complete.', has: [...inSummary, 'summary_part'] },
  'response.function_call_arguments.delta': {
    says: 'The arguments of a function, in one piece.',
    has: [...inOutput, 'delta'],
  },
  'response.function_call_arguments.done': {
    says: 'The arguments of a function are complete.',
    has: [...inOutput, 'name', 'arguments'],
  },
  'response.custom_tool_call_input.delta': {
    says: 'The input of a custom tool, in one piece.',
    has: [...inOutput, 'delta'],
  },
  'response.custom_tool_call_input.done': {
    says: 'The input of a custom tool is complete.',
    has: [...inOutput, 'input'],
  },
  'response.mcp_call_arguments.delta': {
    says: 'The arguments of a call that Pawl runs, in one piece.',
    has: [...inOutput, 'delta'],
  },
  'response.mcp_call_arguments.done': {
    says: 'The arguments of a call that Pawl runs are complete.',
    has: [...inOutput, 'arguments'],
  },
  'response.mcp_call.in_progress': { says: 'Pawl runs a call.', has: inOutput },
  'response.mcp_call.completed': { says: 'A call that Pawl ran has its result.', has: inOutput },
  'response.mcp_call.failed': { says: 'A call that Pawl ran has failed.', has: inOutput },
  ...phasesOf('web_search_call', ['in_progress', 'searching', 'completed']),
  ...phasesOf('file_search_call', ['in_progress', 'searching', 'completed']),
  ...phasesOf('code_interpreter_call', ['in_progress', 'interpreting', 'completed']),
  ...phasesOf('image_generation_call', ['in_progress', 'generating', 'completed']),
  'response.code_interpreter_call_code.delta': {
    says: 'The code of a call, in one piece.',
    has: [...inOutput, 'delta'],
  },
  'response.code_interpreter_call_code.done': { says: 'The code of a call is complete.', has: [...inOutput, 'code'] },
  'response.output_text.annotation.added': {
    says: 'A source of the text. All sources follow the text.',
    has: [...inContent, 'annotation_index', 'annotation'],
  },
  'response.completed': { says: 'The response has ended with an answer.', has: ['response'] },
  'response.incomplete': {
    says: 'The response ended before its answer was complete, or was cancelled.',
    has: ['response'],
  },
  'response.failed': { says: 'The response has failed.', has: ['response'] },
};

/** Returns the events of a call that the provider runs. */
function phasesOf(type: string, phases: string[]): Record<string, { says: string; has: Field[] }> {
  return Object.fromEntries(
    phases.map((phase) => [
      `response.${type}.${phase}`,
      { says: `A call that the provider runs is ${phase.replace('_', ' ')}.`, has: inOutput },
    ]),
  );
}

const response = exampleOf(ResponseObject) as {
  output: [{ id: string; content: object[] }];
};
const [item] = response.output;
const exampleAnnotation = {
  ...{ type: 'url_citation', start_index: 0, end_index: 5, url: 'https://example.com', title: 'Example' },
};
const example: Record<Field, unknown> = {
  ...{ response, item, item_id: item.id, output_index: 0, content_index: 0, summary_index: 0 },
  ...{ part: item.content[0], summary_part: { type: 'summary_text', text: 'They want a greeting.' } },
  ...{ delta: 'Hello', text: 'Hello, Ada.', refusal: 'I cannot help with that.', name: 'get_weather' },
  ...{ arguments: '{"city":"Lisbon"}', input: '*** Begin Patch', logprobs: [], code: 'print(6 * 7)' },
  ...{ annotation_index: 0, annotation: exampleAnnotation },
};

const number = z
  .int()
  .min(0)
  .describe('The number of the event in the log of the response. Numbers grow, with gaps after texts.');

const StreamError = z
  .object({
    type: z.literal('error'),
    sequence_number: number,
    code: z
      .string()
      .describe('The code of the reason why the stream ends. `stream_superseded`: the model restarted its reply.'),
    message: z.string().describe('A sentence that states the problem and the next step.'),
    param: z.null().describe('Always null.'),
  })
  .meta({
    id: 'ResponseErrorEvent',
    description: 'The stream ends here, without `[DONE]`. The response itself continues.',
    examples: [
      {
        ...{ type: 'error', sequence_number: 17, code: 'stream_superseded', param: null },
        message: 'The model restarted this reply with another text. Request the stream again.',
      },
    ],
  });

/** An event of a response's stream in OpenAI’s shape. */
export const ResponseStreamEvent = z.discriminatedUnion('type', [StreamError, ...schemasOf()]).meta({
  id: 'ResponseStreamEvent',
  description: 'An event in the stream of a response: the `data` of one message. `[DONE]` follows the last event.',
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

/** Returns the name of an event's schema: `response.output_text.delta` is a ResponseOutputTextDeltaEvent. */
function nameEvent(type: string): string {
  return `${type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`;
}
