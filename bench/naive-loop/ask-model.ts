import { WIRE_TOOLS } from '../work.ts';
import type { NaiveMessage, NaiveTurn } from './naive-turn.ts';

type Completion = { choices: { message: NaiveMessage }[]; usage: unknown };

/** Requests the model once, without a stream: there are no watchers. */
export async function askModel(modelUrl: string, { model, messages }: NaiveTurn) {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench' },
    body: JSON.stringify({ model, messages: messages.map(onTheWire), tools: WIRE_TOOLS }),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
  const { choices, usage } = (await response.json()) as Completion;
  const message = choices[0]?.message;
  if (!message) throw new Error('The model answered without a message.');
  return { message, usage };
}

function onTheWire({ role, content, tool_calls, tool_call_id }: NaiveMessage): NaiveMessage {
  if (tool_calls) return { role, content, tool_calls };
  return tool_call_id ? { role, content, tool_call_id } : { role, content };
}
