import type { Message } from '../turn/message.ts';
import { Tool } from '../turn/request/tool.ts';

/** The tools there are, and a bare declaration for each name that only the history still calls. */
export function declareTools(tools: Tool[], messages: Message[]): Tool[] {
  const known = new Set(tools.map(({ name }) => name));
  const called = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  const gone = new Set(called.map(({ name }) => name).filter((name) => !known.has(name)));
  return [...tools, ...[...gone].map((name) => Tool.parse({ name, description: 'No longer available.' }))];
}
