import { scripted } from '#test/harness/scripted.ts';

// Codex CLI is not a dependency. Tests imitate the requests of its version 0.169.0 for a known model,
// and the fields that it reads in the stream.

export type Item = Record<string, unknown> & { type: string };
export type Event = {
  type: string;
  item?: Item;
  delta?: string;
  response?: { id: string; usage: object; error: object | null };
};

const thread = '01a206c3-8c7d-7fe0-aa98-aa905df52abf';
export const headers = {
  ...{ accept: 'text/event-stream', 'content-type': 'application/json', authorization: 'Bearer none' },
  ...{ originator: 'codex_exec', 'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm' },
  ...{ 'session-id': thread, 'thread-id': thread, 'x-client-request-id': thread, 'x-codex-window-id': `${thread}:0` },
  ...{
    'x-codex-beta-features': 'remote_compaction_v2',
    'x-codex-turn-metadata': JSON.stringify({ thread_id: thread }),
  },
};

export const parameters = (properties: object, required: string[]) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
export const exec = {
  ...{ type: 'function', name: 'exec_command', description: 'Runs a command in a PTY.', strict: false },
  parameters: parameters({ cmd: { type: 'string' }, timeout_ms: { type: 'number' } }, ['cmd']),
};
export const patch = {
  ...{ type: 'custom', name: 'apply_patch', description: 'Edits files. This is a freeform tool.' },
  format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch hunk+ end_patch' },
};
export const view = {
  ...{ type: 'function', name: 'view_image', description: 'Shows a file.', strict: false },
  parameters: parameters({ path: { type: 'string' } }, ['path']),
};
const spawn = {
  ...{ type: 'function', name: 'spawn_agent', description: 'Starts an agent.', strict: false },
  parameters: parameters({ message: { type: 'string' } }, ['message']),
};
export const agents = { type: 'namespace', name: 'multi_agent_v1', description: 'Sub-agents.', tools: [spawn] };
const search = {
  ...{ type: 'tool_search', execution: 'client', description: 'Searches.' },
  parameters: parameters({ query: { type: 'string' } }, ['query']),
};
const web = { type: 'web_search', external_web_access: true };
const shell = { type: 'local_shell' };
const tools = [exec, patch, view, agents, search, web, shell];

export const message = (role: string, text: string) => ({
  ...{ type: 'message', id: `msg_${thread}`, role },
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
export const asks = (prompt: string) => [
  message('developer', 'You work in a terminal.'),
  message('user', '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>'),
  message('user', prompt),
];
const rounds = [
  {
    ...{ say: 'I patch it.', reasoning: 'A file is missing.' },
    tools: [
      { name: 'apply_patch', arguments: { input: '*** Begin Patch\n*** End Patch\n' } },
      { name: 'exec_command', arguments: { cmd: 'ls' } },
    ],
  },
];
export const prompt = scripted({ rounds, answer: 'It is done.' });

export const ignoring = { PAWL_UNSUPPORTED_TOOLS: 'ignore' };

export const bodyOf = (input: object[], body: object = {}) => ({
  ...{ model: 'gpt-5.5', stream: true, store: false, input, tools, tool_choice: 'auto', parallel_tool_calls: false },
  ...{ reasoning: { effort: 'medium', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
  ...{ prompt_cache_key: thread, text: { verbosity: 'low' }, client_metadata: { session_id: thread } },
  stream_options: { reasoning_summary_delivery: 'sequential_cutoff' },
  ...body,
});

/** Returns the completed items of a stream. Codex keeps them and sends them again in later requests. */
export const itemsOf = (events: Event[]) =>
  events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item!] : []));

/** Returns the result of a call as Codex sends it. */
export const output = (call: Item, text: unknown) => ({
  ...{ type: `${call.type}_output`, id: `out_${call.call_id}`, call_id: call.call_id, output: text },
});
