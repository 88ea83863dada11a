import { RequestRefused } from '#core/failure.ts';
import type { TurnTool } from '#core/turn/request/tool.ts';
import type { OfferedTool } from '../../responses/request/offered-tool.ts';
import type { ResponseBody } from '../../responses/response-body.ts';
import type { CompletionBody, CompletionChoice, CompletionTool } from '../completion-body.ts';

/** Returns the client's tools in the form of a response. They may be in `tools` or in `functions`. */
export function clientTools({ tools, functions }: CompletionBody): ResponseBody['tools'] {
  if (functions) return functions.map((given) => ({ ...given, type: 'function' }));
  return tools?.map((tool) =>
    tool.type === 'custom' ? customOf(tool.custom) : { ...tool.function, type: 'function' },
  );
}

/** Chat Completions nests a grammar one level deeper. */
function customOf({ format, ...custom }: Extract<CompletionTool, { type: 'custom' }>['custom']) {
  const own = format?.type === 'grammar' ? { ...format.grammar, type: format.type } : format;
  return { ...custom, format: own, type: 'custom' };
}

/** Returns the choice of calls in the form of a response. */
export function clientChoice({ tool_choice, function_call }: CompletionBody): ResponseBody['tool_choice'] {
  if (function_call) return typeof function_call === 'string' ? function_call : { type: 'function', ...function_call };
  if (!tool_choice || typeof tool_choice === 'string') return tool_choice;
  if (tool_choice.type !== 'allowed_tools') return namedTool(tool_choice);
  const { mode, tools } = tool_choice.allowed_tools;
  return { type: 'allowed_tools', mode, tools: tools.map(namedTool) };
}

function namedTool(tool: Exclude<CompletionChoice, string | { type: 'allowed_tools' }>) {
  return { type: tool.type, name: tool.type === 'custom' ? tool.custom.name : tool.function.name };
}

/** Returns the tools that Pawl runs inside the completion. */
export function pawlTools({ pawl }: CompletionBody): OfferedTool[] {
  return (pawl?.tools ?? []).map((given, at) => {
    const name = typeof given === 'string' ? given : given.name;
    const reference = { type: 'function' as const, name };
    const path = `pawl.tools[${at}]`;
    return { path, name, reference, given, handOver: null, strict: null, needsApproval: false };
  });
}

/** Refuses a tool of `pawl.tools` if the client has to answer its calls. Such a tool belongs in `tools`. */
export function refuseWaiting({ pawl }: CompletionBody, resolved: readonly TurnTool[]): void {
  const waiting = resolved.find(({ execution, handOver }) => execution?.kind === 'client' && !handOver);
  if (!waiting) return;
  const at = (pawl?.tools ?? []).findIndex((given) => typeof given !== 'string' && given.name === waiting.name);
  const message =
    `\`pawl.tools[${at}]\` has no \`execution\`, so Pawl cannot run the tool. Move the tool to ` +
    '`tools`, or add an `execution`.';
  throw new RequestRefused(400, 'invalid_tool', message, `pawl.tools[${at}].execution`);
}
