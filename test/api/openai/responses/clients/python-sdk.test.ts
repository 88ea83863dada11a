import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';

// npm does not have OpenAI's Python SDK. Tests imitate the shape of its requests and its way to join a stream.
// If python3 has the module `openai` (`pip install openai`), a test also runs the SDK.

const run = promisify(execFile);
const hasSdk = await run('python3', ['-c', 'import openai']).then(
  () => true,
  () => false,
);

const ada = '{"name":"Ada","age":36}';
const headers = {
  ...{ authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' },
  ...{ 'user-agent': 'OpenAI/Python 3.22.1', 'x-stainless-lang': 'python', 'x-stainless-package-version': '3.22.1' },
  ...{ 'x-stainless-async': 'false', 'x-stainless-retry-count': '0', 'x-stainless-read-timeout': '600' },
};
/** The schema that the SDK makes of `text_format=Person` for `responses.parse` and `responses.stream`. */
const format = {
  ...{ type: 'json_schema', name: 'Person', strict: true },
  schema: {
    properties: { name: { title: 'Name', type: 'string' }, age: { title: 'Age', type: 'integer' } },
    ...{ required: ['name', 'age'], title: 'Person', type: 'object', additionalProperties: false },
  },
};

const post = ({ url }: Harness, body: object) =>
  fetch(`${url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify({ model: 'test', ...body }) });

type Part = { text: string };
type Item = { type: string; content: Part[]; arguments: string; call_id: string };
type Event = { type: string; output_index: number; content_index: number } & Record<string, unknown>;

/** Joins a stream as the SDK does: it appends announced items and parts, and finds them by index. */
function join(events: Event[]): Item[] {
  const output: Item[] = [];
  for (const event of events) {
    const item = output[event.output_index];
    if (event.type === 'response.output_item.added') output.push(event.item as Item);
    if (event.type === 'response.content_part.added') item!.content.push(event.part as Part);
    if (event.type === 'response.output_text.delta') item!.content[event.content_index]!.text += event.delta;
    if (event.type === 'response.function_call_arguments.delta') item!.arguments += event.delta;
  }
  return output;
}

test('the Python SDK can create, parse and stream a response', async ({ harness, worker: _ }) => {
  const tools = [{ type: 'function', name: 'get', description: null, parameters: {}, strict: true }];
  const calls = [
    { name: 'get', arguments: { of: 'a' } },
    { name: 'get', arguments: { of: 'b' } },
  ];
  const input = scripted({ rounds: [{ say: 'I look.', tools: calls }] });

  const parsed = await post(harness, { input: scripted({ answer: ada }), text: { format } });
  const streamed = await post(harness, { input, tools, stream: true });
  const lines = (await streamed.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const events: Event[] = lines.map((line) => JSON.parse(line.slice(6)));

  expect(await parsed.json()).toMatchObject({
    output: [{ type: 'message', content: [{ type: 'output_text', text: ada }] }],
  });
  expect(parsed.headers.get('x-request-id')).toMatch(/^req_/);
  expect(events[0]?.type).toBe('response.created');
  expect(join(events)).toMatchObject([
    { type: 'message', content: [{ text: 'I look.' }] },
    { type: 'function_call', arguments: '{"of":"a"}' },
    { type: 'function_call', arguments: '{"of":"b"}' },
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
});

test('the Python SDK gets the shapes of OpenAI’s API at the base URL /v1', async ({ harness }) => {
  const body = JSON.stringify({ items: [{ role: 'user', content: 'I am Ada.' }] });

  const made = await fetch(`${harness.url}/v1/conversations`, { method: 'POST', headers, body });
  const { id, ...conversation } = (await made.json()) as { id: string };
  const items = await fetch(`${harness.url}/v1/conversations/${id}/items`, { headers });
  const models = await fetch(`${harness.url}/v1/models`, { headers });

  const demo = expect.objectContaining({ id: 'sim/demo', object: 'model' });
  expect(made.status).toBe(200);
  expect(conversation).toEqual({ object: 'conversation', created_at: expect.any(Number), metadata: {} });
  expect(await items.json()).toMatchObject({ object: 'list', data: [{ type: 'message', role: 'user' }] });
  expect(await models.json()).toMatchObject({ object: 'list', data: expect.arrayContaining([demo]) });
});

const program = `
import asyncio, json, sys
from openai import AsyncOpenAI, BadRequestError, NotFoundError, OpenAI
from pydantic import BaseModel

class Person(BaseModel):
    name: str
    age: int

url, seen = sys.argv[1], []
client = OpenAI(base_url=url + "/v1", api_key="any")
sim = lambda **script: json.dumps({"sim": script})
ada = sim(answer='{"name":"Ada","age":36}')
parameters = {"type": "object", "properties": {"of": {"type": "string"}}}
tools = [{"type": "function", "name": "get", "description": "Gets", "parameters": parameters, "strict": None}]
calls = [{"name": "get", "arguments": {"of": of}} for of in "ab"]
asks = sim(rounds=[{"say": "I look.", "reasoning": "Two.", "tools": calls}], answer="{{results}}")

seen.append(client.responses.create(model="test", input=sim(answer="Hello."), extra_body={"pawl": {"priority": 1}}).output_text)
seen.append(client.responses.parse(model="test", input=ada, text_format=Person).output_parsed.age)
with client.responses.stream(model="test", input=ada, text_format=Person) as stream:
    seen.append(stream.get_final_response().output_parsed.name)
with client.responses.stream(model="test", input=asks, tools=tools, reasoning={"summary": "auto"}) as stream:
    asked = stream.get_final_response()
seen.append([item.type for item in asked.output])
results = [
    {"type": "function_call_output", "call_id": item.call_id, "output": item.arguments}
    for item in asked.output if item.type == "function_call"
]
seen.append(client.responses.create(model="test", input=results, previous_response_id=asked.id).output_text)
again = [{"role": "user", "content": asks}, *asked.output, *results]
seen.append(client.responses.create(model="test", input=again, store=False).output_text)
queued = client.responses.create(model="test", input="Later.", background=True)
seen.append([event.type for event in client.responses.retrieve(queued.id, stream=True)][-1])
client.responses.delete(queued.id)
made = client.conversations.create(items=[{"role": "user", "content": "I am Ada."}])
[item] = client.conversations.items.list(made.id).data
seen.append([made.object, item.type, client.conversations.delete(made.id).deleted])
seen.append(sorted({model.object for model in client.models.list().data}))
seen.append(client.models.retrieve("sim/demo").id)
for refused in (
    lambda: client.responses.create(model="test", input="x", truncation="oldest"),
    lambda: client.responses.retrieve(queued.id),
):
    try: refused()
    except (BadRequestError, NotFoundError) as error: seen.append([type(error).__name__, error.code, error.request_id[:4]])

async def main():
    client = AsyncOpenAI(base_url=url + "/openai/v1", api_key="any")
    stream = await client.responses.create(model="test", input=sim(answer="Bye."), stream=True)
    seen.append("".join([event.delta async for event in stream if event.type == "response.output_text.delta"]))

asyncio.run(main())
print(json.dumps(seen))
`;

test.skipIf(!hasSdk)('the installed Python SDK passes the same checks (needs python3 with openai)', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);

  const { stdout } = await run('python3', ['-c', program, harness.url]);

  const results = '{"of":"a"}\n{"of":"b"}';
  expect(JSON.parse(stdout)).toEqual([
    ...['Hello.', 36, 'Ada', ['reasoning', 'message', 'function_call', 'function_call'], results, results],
    ...['response.completed', ['conversation', 'message', true], ['model'], 'sim/demo'],
    ...[['BadRequestError', 'unsupported_value', 'req_'], ['NotFoundError', 'response_not_found', 'req_'], 'Bye.'],
  ]);
});
