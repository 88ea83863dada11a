import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasPythonAgents } from './has-python-agents.ts';
import { type Pawl, startPawl } from './start-pawl.ts';
import { answered, history, twoRounds } from './tool-loop.ts';

// One test imitates the requests of the Agents SDK for Python. The other test runs the SDK if python3 has it.

const run = promisify(execFile);
const hasSdk = await hasPythonAgents();

const headers = {
  ...{ authorization: 'Bearer any', accept: 'application/json', 'content-type': 'application/json' },
  ...{ 'user-agent': 'Agents/Python 0.9.0', 'x-stainless-lang': 'python', 'x-stainless-retry-count': '0' },
};
const tools = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: {
    ...{ name, description: '', strict: true },
    parameters: {
      properties: { city: { title: 'City', type: 'string' } },
      ...{ required: ['city'], title: `${name}_args`, type: 'object', additionalProperties: false },
    },
  },
}));

type Call = { id: string; function: { name: string; arguments: string } };
type Message = { role: string; content: string | null; tool_calls?: Call[] };

/** Posts messages as `OpenAIChatCompletionsModel` does, and returns the message of the answer. */
async function ask({ baseURL }: Pawl, messages: object[]): Promise<Message> {
  const body = JSON.stringify({ messages, model: 'openai/gpt-4o', tools, stream: false });
  const answer = await fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { choices: { message: Message }[] }).choices[0]!.message;
}

test('the requests of the Agents SDK for Python are answered until the run has ended', async () => {
  await using pawl = await startPawl();
  const messages: object[] = [
    { content: 'Be brief.', role: 'system' },
    { role: 'user', content: twoRounds },
  ];

  let message = await ask(pawl, messages);
  while (message.tool_calls) {
    const { content, tool_calls: calls } = message;
    // The SDK sends no `content` if the message has no text.
    messages.push({ role: 'assistant', ...(content && { content }), tool_calls: calls });
    for (const { id, function: called } of calls) {
      const { city } = JSON.parse(called.arguments);
      const content = `${called.name === 'get_weather' ? 'Sunny' : 'Noon'} in ${city}`;
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
    message = await ask(pawl, messages);
  }

  expect(message.content).toBe(answered);
  expect(pawl.lastSent()).toMatchObject([{ role: 'system', content: 'Be brief.' }, ...history]);
});

const program = `
import asyncio, json, sys
from agents import (
    Agent, OpenAIChatCompletionsModel, Runner, SQLiteSession, function_tool, set_tracing_disabled
)
from openai import AsyncOpenAI
from pydantic import BaseModel

class Person(BaseModel):
    name: str
    age: int

@function_tool
def get_weather(city: str) -> str:
    return f"Sunny in {city}"

@function_tool
def get_time(city: str) -> str:
    return f"Noon in {city}"

base_url, two_rounds, seen = sys.argv[1], sys.argv[2], []
set_tracing_disabled(True)
model = OpenAIChatCompletionsModel(
    model="openai/gpt-4o", openai_client=AsyncOpenAI(base_url=base_url, api_key="any")
)
sim = lambda **script: json.dumps({"sim": script})
guide = Agent(name="Guide", instructions="Be brief.", tools=[get_weather, get_time], model=model)
clerk = Agent(name="Clerk", output_type=Person, model=model)
host = Agent(name="Host", handoffs=[guide], model=model)

async def main():
    seen.append((await Runner.run(guide, two_rounds)).final_output)
    streaming, texts = Runner.run_streamed(guide, two_rounds), []
    async for event in streaming.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            texts.append(event.data.delta)
    seen.append([streaming.final_output, "".join(texts)])
    seen.append((await Runner.run(clerk, sim(answer='{"name":"Ada","age":36}'))).final_output.age)
    call = {"name": "transfer_to_guide", "arguments": {}}
    handed = await Runner.run(host, sim(rounds=[{"tools": [call]}], answer="Served."))
    seen.append([handed.final_output, handed.last_agent.name])
    session = SQLiteSession("one")
    await Runner.run(guide, two_rounds, session=session)
    seen.append((await Runner.run(guide, sim(answer="Still here."), session=session)).final_output)

asyncio.run(main())
print(json.dumps(seen))
`;

test.skipIf(!hasSdk)('the Agents SDK for Python runs tools, streams and hands over (needs python3)', async () => {
  await using pawl = await startPawl();

  const { stdout } = await run('python3', ['-c', program, pawl.baseURL, twoRounds]);

  expect(JSON.parse(stdout)).toEqual([
    ...[answered, [answered, `Let me see.${answered}`], 36],
    ...[['Served.', 'Guide'], 'Still here.'],
  ]);
});
