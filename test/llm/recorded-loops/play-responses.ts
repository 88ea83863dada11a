import OpenAI from 'openai';
import { type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import type { RecordedRound, RecordedTurn } from './recorded-turns.ts';
import type { ReadRequest, Said, WireReader } from './wire-reader.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Response = OpenAI.Responses.Response;

/** The ways in which a client continues: after the last response, in a conversation, or by sending all items again. */
export type Way = 'previous_response_id' | 'conversation' | 'all items again' | 'all items and state again';

/** The state of a client in a conversation: the values to continue with, and all items so far. */
export type Thread = { last: Response | null; conversation: string | null; items: Item[] };

/**
 * Plays a recorded turn as a client of the Responses API. Each reply is a response, and its calls get the recorded
 * results. Calls without a recorded result end the turn.
 */
export async function playResponses(
  harness: Harness,
  recorded: RecordedTurn,
  { way, thread, reader }: { way: Way; thread: Thread; reader: WireReader },
): Promise<Response[]> {
  const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const rounds = recorded.rounds.filter(({ reply }) => reply.problem === null);
  const responses: Response[] = [];
  let news: Item[] = recorded.input.flatMap(messageOf);
  for (;;) {
    const exchange = rounds[responses.length]?.exchange;
    const fields = exchange?.request ? reader.request(exchange).fields : recorded.fields;
    const started = await client.responses.create({
      ...{ ...createFields(fields), ...standing(way, thread), background: true },
      ...(way === 'all items and state again' ? { include: ['reasoning.encrypted_content' as const] } : {}),
      input: way.startsWith('all items') ? [...thread.items, ...news] : news,
    });
    await workUntilEnded(harness, started.id.replace('resp_', 'turn_'));
    const response = await client.responses.retrieve(started.id);
    const output = response.output.flatMap((item) => (item.type === 'message' ? sent(item) : (item as Item)));
    Object.assign(thread, { last: response, items: [...thread.items, ...news, ...output] });
    responses.push(response);
    const round = rounds[responses.length - 1];
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0 || !round?.answers.some(Boolean)) return responses;
    news = calls.map(({ call_id }) => ({
      type: 'function_call_output',
      call_id,
      output: outputOf(round, calls, call_id),
    }));
  }
}

function standing(way: Way, { last, conversation }: Thread) {
  if (way === 'previous_response_id') return last ? { previous_response_id: last.id } : {};
  return way === 'conversation' && conversation ? { conversation } : {};
}

/** Returns a message as the AI SDK and openai-agents send it again. */
function sent({ id, content }: OpenAI.Responses.ResponseOutputMessage): Item[] {
  return [{ type: 'message', role: 'assistant', status: 'completed', id, content }];
}

function outputOf({ answers }: RecordedRound, calls: { call_id: string }[], id: string): string {
  return answers[calls.findIndex(({ call_id }) => call_id === id)]?.text ?? 'The client did not run it.';
}

function messageOf({ role, text }: Said): Item[] {
  return text && role !== 'tool' ? [{ role, content: text }] : [];
}

type Declared = { name: string; description?: string; parameters?: Record<string, unknown> };

function createFields(fields: ReadRequest['fields']) {
  const { model, instructions, tools, tool_choice: choice, parallel_tool_calls: parallel, provider_options } = fields;
  const isNamed = typeof choice === 'object' && choice !== null && 'name' in choice;
  return {
    ...{ model, instructions: instructions as string | null, pawl: { provider_options } },
    tools: (tools as Declared[]).map(({ name, description, parameters }) => ({
      ...{ type: 'function' as const, name, description: description ?? null, strict: null },
      parameters: parameters ?? null,
    })),
    tool_choice: isNamed ? { type: 'function' as const, name: String(choice.name) } : (choice as 'auto' | undefined),
    parallel_tool_calls: (parallel as boolean | null | undefined) ?? null,
  } as Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'input'>;
}
