import { unless } from './problems.ts';

type Message = { role?: string; tool_calls?: unknown[] };
type Order = (messages: Message[]) => string[];

/** Returns the problems for the templates of many local models: two user messages or two system prompts in a row. */
export const checkNeighbours: Order = (messages) =>
  messages.flatMap(({ role }, at) => {
    const isTwice = role === messages[at - 1]?.role && (role === 'user' || (role === 'system' && at === 1));
    return unless(!isTwice, `[${at}] ${role} after ${role}`);
  });

/** Returns the problem for Qwen's templates: a system message after the start. */
export const checkSystemFirst: Order = (messages) =>
  messages.flatMap(({ role }, at) => unless(at === 0 || role !== 'system', `[${at}] a late system message`));

/** Returns the problems for Gemma and Perplexity, which require user and assistant to alternate, from user to user. */
export const checkAlternate: Order = (messages) => {
  const spoken = messages[0]?.role === 'system' ? messages.slice(1) : messages;
  return [
    ...unless(spoken[0]?.role === 'user', 'the user does not speak first'),
    ...spoken.flatMap((message, at) => {
      const next = spoken[at + 1];
      return unless(mayFollow(message, next), `[${at}] ${next?.role ?? 'nothing'} after ${message.role}`);
    }),
  ];
};

function mayFollow({ role, tool_calls: calls }: Message, next: Message | undefined): boolean {
  if (role === 'user') return !next || next.role === 'assistant';
  if (role === 'tool') return !next || next.role === 'tool' || next.role === 'assistant';
  return role === 'assistant' && next?.role === (calls ? 'tool' : 'user');
}

export const checkUserOnly: Order = (messages) => [
  ...unless(
    messages.every(({ role }) => role !== 'system'),
    'a system message',
  ),
  ...checkAlternate(messages),
];

const MISTRAL: Record<string, string[]> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

export const checkMistralOrder: Order = (messages) => [
  ...messages.slice(1).flatMap(({ role = '' }, at) => {
    const before = messages[at]?.role ?? '';
    return unless(Boolean(MISTRAL[before]?.includes(role)), `Unexpected role '${role}' after role '${before}'`);
  }),
  ...unless(/^(user|tool)$/.test(messages.at(-1)?.role ?? ''), 'Expected last role User or Tool'),
];
