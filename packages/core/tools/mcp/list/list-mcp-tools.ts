import type { Client } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { mendSchema } from '../../../json-schema/mend-schema.ts';
import { recordOf } from '../../../json-schema/parts.ts';
import type { Redact } from '../../../redact.ts';
import { cleanText, shorten } from '../../../text.ts';
import { Tool, type ToolEffect, type TurnTool } from '../../../turn/request/tool.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { cleanJson } from '../../clean.ts';
import { checkDefinitions } from '../../define/check.ts';
import type { Work } from '../connection.ts';
import { headerProblem } from './header-problem.ts';
import { listPages } from './list-pages.ts';
import { nameTools } from './name-tools.ts';
import { type ListedTool, readTool } from './read-tool.ts';

/** A tool that is left out and why, without secrets. `aliases` are the names by which a turn may ask for the tool. */
export type LeftOut = { name: string; why: string; aliases: string[] };

/**
 * The tools of a server, and those that cannot be mended for providers or that MCP forbids. Sorted by name: a server
 * may change its order, and that would break the cached prefix.
 */
export type McpTools = { tools: TurnTool[]; leftOut: LeftOut[] };

/** A listed tool, its name in full as the server has it, and our definition or a reason against it. */
type Listed = { own: string; definition: TurnTool } | { own: string; why: string };

/**
 * Reads the tools of a server and mends their names and schemas. A tool that cannot be mended is left out alone. A
 * definition that has not changed since the last reading is not read again.
 */
export function listMcpTools(server: string, redact: Redact): Work<McpTools> {
  let known = new Map<string, TurnTool>();
  return async ({ client }) => {
    const tools = (await listPages(client)).map(readTool);
    const usable = tools.flatMap((tool) => (tool && nameProblem(tool) === null ? tool.name : []));
    const names = nameTools(server, usable);
    const read = new Map<string, TurnTool>();
    const define = (tool: ListedTool): TurnTool | null => {
      const text = definitionOf(server, names.get(tool.name) ?? tool.name, tool);
      const definition = known.get(text) ?? readDefinition(text, { own: `${server}__${tool.name}`, name: tool.name });
      if (definition) read.set(text, definition);
      return definition;
    };
    const listed: Listed[] = [];
    for (const [index, tool] of tools.entries()) {
      await yieldToEventLoop();
      const own = `${server}__${tool?.name ?? `tool ${index + 1}`}`;
      listed.push({ own, ...readListed(tool, define) });
    }
    known = read;
    return partitionTools(listed, { takesHeaders: takesHeaders(client), redact });
  };
}

type Define = (tool: ListedTool) => TurnTool | null;

function readListed(tool: ListedTool | null, define: Define): { definition: TurnTool } | { why: string } {
  if (tool === null) return { why: 'Give it a name.' };
  const why = nameProblem(tool);
  if (why !== null) return { why };
  const definition = define(tool);
  return definition ? { definition } : { why: 'Give it the fields of a tool.' };
}

function nameProblem({ name }: ListedTool): string | null {
  if (name.length > MCP_BOUNDS.nameLength) return `Name it in ${MCP_BOUNDS.nameLength} characters at most.`;
  return cleanText(name) === name ? null : 'Name it with characters that can be printed.';
}

/** Only servers with the newest protocol read arguments from headers. */
function takesHeaders(client: Client): boolean {
  return client.getProtocolEra() === 'modern';
}

type Rules = { takesHeaders: boolean; redact: Redact };

async function partitionTools(listed: Listed[], { takesHeaders, redact }: Rules): Promise<McpTools> {
  const found = listed.flatMap((each) => ('definition' in each ? [each] : []));
  const tools = found.map(({ definition }) => definition);
  const problems = await checkDefinitions(tools, 'provider');
  const reasons = new Map(problems.map(({ path, message }) => [Number(/\d+/.exec(path)?.[0]), message]));
  for (const [index, { description, parameters }] of tools.entries()) {
    const problem = takesHeaders ? headerProblem(parameters) : null;
    if (problem !== null) reasons.set(index, problem);
    if (description.length > MCP_BOUNDS.descriptionLength)
      reasons.set(index, `Describe it in ${MCP_BOUNDS.descriptionLength.toLocaleString('en')} characters at most.`);
  }
  const leftOut = [
    ...listed.flatMap((each) => ('why' in each ? [{ ...each, aliases: [each.own] }] : [])),
    ...found.flatMap(({ own, definition }, index) => {
      const why = reasons.get(index);
      return why === undefined ? [] : [{ own, why, aliases: [own, definition.name] }];
    }),
  ];
  return {
    tools: tools.filter((_, index) => !reasons.has(index)).toSorted(byName),
    leftOut: leftOut.map(({ own, why, aliases }) => ({ name: shorten(redact(own)), why: redact(why), aliases })),
  };
}

function byName({ name: one }: TurnTool, { name: other }: TurnTool): number {
  return one < other ? -1 : 1;
}

/** A tool of an MCP server as a definition of ours in JSON. Whether it keeps our rules is not checked. */
function definitionOf(
  server: string,
  name: string,
  { title, description, inputSchema, annotations }: ListedTool,
): string {
  return JSON.stringify({
    name,
    description: description ?? title ?? annotations?.title ?? '',
    parameters: recordOf(inputSchema),
    execution: { kind: 'mcp', server },
    effect: effectOf(annotations),
  });
}

/** Characters of a schema that is mended. A larger one is refused as it is. */
const LARGEST_MENDED = 128 * 1024;

type Named = { own: string; name: string };

/** Reads a definition, with its schema mended. The tool keeps the server's own name if it has another one here. */
function readDefinition(text: string, { own, name }: Named): TurnTool | null {
  const definition = recordOf(cleanJson(JSON.parse(text), (part) => part));
  const parameters =
    text.length > LARGEST_MENDED
      ? { ...recordOf(definition.parameters), type: 'object' }
      : mendSchema(definition.parameters);
  const tool = Tool.safeParse({ ...definition, parameters }).data;
  if (!tool) return null;
  return tool.name === own ? tool : { ...tool, remoteName: name };
}

/** From the server's hints; a tool without hints may be called at most once. */
function effectOf(hints: ListedTool['annotations']): ToolEffect {
  if (hints?.readOnlyHint) return 'none';
  return hints?.idempotentHint ? 'idempotent' : 'at_most_once';
}
