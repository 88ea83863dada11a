import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import { renderPath } from '../../../http/issues.ts';
import type { ResponseBody } from '../response-body.ts';
import { readValue } from './explain-issues.ts';
import type { OfferedTool } from './offered-tool.ts';

/**
 * Reads the tool choice of a create request: the choice in the terms of a turn, and the tools to offer. Tools that
 * `allowed_tools` does not name are not offered. If a label is chosen, tools of other labels are not offered.
 */
export function readToolChoice(
  choice: ResponseBody['tool_choice'],
  offered: OfferedTool[],
): { choice: ToolChoice; offered: OfferedTool[] } {
  if (!choice || typeof choice === 'string') return { choice: choice ?? 'auto', offered };
  if (choice.type === 'allowed_tools') {
    const { mode, tools } = readValue(Allowed, choice, ['tool_choice']);
    const allowed = tools.flatMap((tool, at) => toolsNamed(tool, offered, ['tool_choice', 'tools', at]));
    return { choice: mode, offered: offered.filter((tool) => allowed.includes(tool)) };
  }
  const chosen = toolsNamed(choice, offered, ['tool_choice']);
  const { name } = readValue(Chosen, choice, ['tool_choice']);
  const [only] = chosen;
  if (name && only) return { choice: { type: 'specific', name: only.name }, offered };
  return { choice: 'required', offered: chosen };
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

function requireAny(found: OfferedTool[], name: string, path: PropertyKey[]): OfferedTool[] {
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
