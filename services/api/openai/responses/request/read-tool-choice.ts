import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import { renderPath } from '../../../http/issues.ts';
import type { ResponseBody } from '../response-body.ts';
import { readValue } from './explain-issues.ts';
import { hostedTypeOf } from './hosted-tool.ts';
import type { OfferedHosted, OfferedTool } from './offered-tool.ts';

/** The tools to offer: those that Pawl or the client runs, and those that the provider runs. */
type Tools = { offered: OfferedTool[]; hosted: OfferedHosted[] };

/**
 * Reads the tool choice of a create request: the choice in the terms of a turn, and the tools to offer. Tools that
 * `allowed_tools` does not name are not offered. If a label is chosen, other tools are not offered.
 */
export function readToolChoice(choice: ResponseBody['tool_choice'], tools: Tools): Tools & { choice: ToolChoice } {
  const { offered, hosted } = tools;
  if (!choice || typeof choice === 'string') return { choice: choice ?? 'auto', ...tools };
  if (choice.type === 'allowed_tools') return readAllowed(choice, tools);
  if (hostedTypeOf(choice.type)) throw hostedChosen(choice.type);
  const chosen = toolsNamed(choice, offered, ['tool_choice']);
  const { name } = readValue(Chosen, choice, ['tool_choice']);
  const [only] = chosen;
  if (name && only) return { choice: { type: 'specific', name: only.name }, offered, hosted };
  return { choice: 'required', offered: chosen, hosted: [] };
}

function readAllowed(choice: object, { offered, hosted }: Tools): Tools & { choice: ToolChoice } {
  const { mode, tools } = readValue(Allowed, choice, ['tool_choice']);
  const pathOf = (at: number) => ['tool_choice', 'tools', at];
  const own = tools.flatMap((tool, at) => (hostedTypeOf(tool.type) ? [] : toolsNamed(tool, offered, pathOf(at))));
  const run = tools.flatMap((tool, at) => (hostedTypeOf(tool.type) ? hostedNamed(tool.type, hosted, pathOf(at)) : []));
  return {
    choice: mode,
    offered: offered.filter((tool) => own.includes(tool)),
    hosted: hosted.filter((tool) => run.includes(tool)),
  };
}

/** Returns the tool that the provider runs, by any of its names. */
function hostedNamed(type: string, hosted: OfferedHosted[], path: PropertyKey[]): OfferedHosted[] {
  const kind = hostedTypeOf(type);
  const found = hosted.filter(({ tool }) => tool.type === kind);
  return found.length > 0 ? found : requireAny([], type, [...path, 'type']);
}

/** No choice of a turn can force a tool that the provider runs. */
function hostedChosen(type: string): RequestRefused {
  const message =
    `A tool_choice of type ${quote(type)} is not supported, because the provider runs this tool. ` +
    'Use "auto", or `allowed_tools` with this tool.';
  return new RequestRefused(400, 'unsupported_tool', message, 'tool_choice.type');
}

const Allowed = z.strictObject({
  type: z.string(),
  mode: z.enum(['auto', 'required']),
  tools: z.array(z.looseObject({ type: z.string() })).min(1),
});
/** Only the fields that name a tool. `allowed_tools` may list whole definitions. */
const Chosen = z.strictObject({ type: z.string(), name: z.string().nullish(), server_label: z.string().nullish() });

const Named = z.object({ name: z.string().min(1) });
const Labelled = z.object({ server_label: z.string().min(1), name: z.string().min(1).nullish() });

/**
 * Returns the named tools among the offered tools, at least one tool. A label without a name means all of its tools.
 */
function toolsNamed(given: { type: string }, offered: OfferedTool[], path: PropertyKey[]): OfferedTool[] {
  switch (given.type) {
    case 'function':
    case 'custom': {
      const { name } = readValue(Named, given, path);
      const found = offered.filter(({ reference }) => reference.type === given.type && reference.name === name);
      return requireAny(found, name, [...path, 'name']);
    }
    case 'mcp': {
      const { server_label: label, name } = readValue(Labelled, given, path);
      const under = offered.filter(({ reference }) => reference.type === 'mcp' && reference.serverLabel === label);
      const found = requireAny(under, label, [...path, 'server_label']);
      if (!name) return found;
      const those = found.filter(({ reference }) => reference.name === name);
      return requireAny(those, name, [...path, 'name']);
    }
    default:
      return refuseType(given.type, path);
  }
}

function requireAny<Tool>(found: Tool[], name: string, path: PropertyKey[]): Tool[] {
  if (found.length > 0) return found;
  const message = `Tool choice ${quote(name)} not found in tools. Add the tool, or choose another tool.`;
  throw new RequestRefused(400, 'invalid_value', message, renderPath(path));
}

function refuseType(type: string, path: PropertyKey[]): never {
  // A tool in the list of `allowed_tools` is not another list.
  const types = path.includes('tools')
    ? '`function`, `custom` or `mcp`'
    : '`function`, `custom`, `mcp` or `allowed_tools`';
  const message = `A tool_choice of type ${quote(type)} is not supported. Use ${types}.`;
  throw new RequestRefused(400, 'unsupported_tool', message, renderPath([...path, 'type']));
}
