import type { AgentResource } from '#core/turn/resource/agent.ts';
import type { ConversationResource } from '#core/turn/resource/conversation.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Answer, apiClient } from '#test/harness/api-client.ts';
import type { Harness } from '#test/harness/create-harness.ts';

type Client = Pick<ReturnType<typeof apiClient>, 'call'>;
type Made<Body> = Promise<Body>;

const model = 'openai/test';

/** Returns the body of an answer. Throws if the answer is a refusal. */
function bodyOf<Body>({ status, body }: Answer<Body>): Body {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Creates an agent. The name is `support` unless another is given. */
export async function createAgent({ call }: Client, fields: object = {}): Made<AgentResource> {
  return bodyOf(await call<AgentResource>('POST', '/v1/agents', { body: { name: 'support', model, ...fields } }));
}

/** Creates the next version of an agent. */
export async function changeAgent({ call }: Client, name: string, fields: object): Made<AgentResource> {
  return bodyOf(await call<AgentResource>('PATCH', `/v1/agents/${name}`, { body: fields }));
}

/** Sets a label, such as `support@production`. */
export async function setLabel({ call }: Client, reference: string, body: object): Made<AgentResource> {
  const [name, label] = reference.split('@');
  return bodyOf(await call<AgentResource>('PUT', `/v1/agents/${name}/labels/${label}`, { body }));
}

export async function createConversation({ call }: Client, body: object): Made<ConversationResource> {
  return bodyOf(await call<ConversationResource>('POST', '/v1/conversations', { body }));
}

/** Starts a turn in a conversation, or in a new conversation without an id. */
export async function start({ call }: Client, body: object, conversation?: string): Made<TurnResource> {
  const path = conversation ? `/v1/conversations/${conversation}/turns` : '/v1/turns';
  return bodyOf(await call<TurnResource>('POST', path, { body: { input: 'Hi', ...body } }));
}

/** Forks or reruns a turn. */
export async function again({ call }: Client, id: string, action: 'fork' | 'rerun', body: object): Made<TurnResource> {
  return bodyOf(await call<TurnResource>('POST', `/v1/turns/${id}/${action}`, { body }));
}

/** Works until no job waits, and returns the instructions of the last request to the model. */
export async function instructionsSent(harness: Harness): Promise<unknown> {
  await harness.workUntilIdle();
  const [first] = harness.modelRequests.at(-1)?.body.messages ?? [];
  return first?.role === 'system' ? first.content : null;
}
