import { isDeepStrictEqual } from 'node:util';
import type { Client, Tool as WrappedTool } from '@modelcontextprotocol/client';
import { MCP_BOUNDS } from '../../../bounds/mcp-bounds.ts';
import { isRecord } from '../../../json.ts';
import { mendSchema } from '../../../json-schema/mend-schema.ts';
import { recordOf } from '../../../json-schema/parts.ts';
import type { Redact } from '../../../redact.ts';
import { cleanText, shorten } from '../../../text.ts';
import { offeredName } from '../../../turn/request/labelled-tool.ts';
import { Tool, type ToolEffect, type TurnTool } from '../../../turn/request/tool.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { requireUsable, schemaSource } from '../../arguments/require-usable.ts';
import { cleanJson } from '../../clean.ts';
import { checkDefinitions } from '../../define/check.ts';
import type { Work } from '../connection.ts';
import { readMcpError, TooLarge } from '../error.ts';
import { headerProblem } from './header-problem.ts';
import { type ListedTool, readTool } from './read-tool.ts';

/** A tool that turns cannot have, without secrets. `name` is for the log. A turn may request it by `aliases`. */
export type LeftOut = { remoteName: string; name: string; why: string; aliases: string[] };

/** A tool without a usable output schema, by its name in the log, and the reason. Its results are not checked. */
export type Unchecked = { name: string; why: string };

/**
 * The tools of a server, sorted by name to keep cached prefixes, and the unusable tools. `outputSchemas` has the
 * usable schemas, by the names of tools at the server. `unchecked` tools have no usable schema.
 */
export type McpTools = {
  tools: TurnTool[];
  leftOut: LeftOut[];
  unchecked: Unchecked[];
  outputSchemas: ReadonlyMap<string, Record<string, unknown>>;
};

/** Pawl's definition of a tool with its usable output schema, or the reason why its results are not checked. */
type Defined = { definition: TurnTool; outputSchema: Record<string, unknown> | null; unchecked: string | null };

type Listed = { own: string } & (Defined | { why: string });

/** Reads and corrects the tools of a server. Omits only broken tools, and reuses unchanged definitions. */
export function listMcpTools(server: string, redact: Redact): Work<McpTools> {
  let known = new Map<string, Defined>();
  return async ({ client }) => {
    const tools = (await listPages(client)).map(readTool);
    const read = new Map<string, Defined>();
    const define = async (tool: ListedTool): Promise<Defined | null> => {
      const text = definitionOf(server, tool);
      const defined = known.get(text) ?? (await readDefinition(text, server, tool));
      if (defined) read.set(text, defined);
      return defined;
    };
    const listed: Listed[] = [];
    for (const [index, tool] of tools.entries()) {
      await yieldToEventLoop();
      listed.push({ own: tool?.name ?? `tool ${index + 1}`, ...(await readListed(tool, define)) });
    }
    known = read;
    return partitionTools(listed, { server, takesHeaders: takesHeaders(client), redact });
  };
}

type Define = (tool: ListedTool) => Promise<Defined | null>;

async function readListed(tool: ListedTool | null, define: Define): Promise<Defined | { why: string }> {
  if (tool === null) return { why: 'Give the tool a name.' };
  const why = problemOf(tool);
  if (why !== null) return { why };
  return (await define(tool)) ?? { why: 'Give the tool the fields that MCP requires.' };
}

function problemOf({ name, execution }: ListedTool): string | null {
  if (name.length > MCP_BOUNDS.nameLength) return `Shorten the name to at most ${MCP_BOUNDS.nameLength} characters.`;
  if (cleanText(name) !== name) return 'Use only printable characters in the name.';
  return execution?.taskSupport === 'required' ? 'Pawl does not support tasks. Let the tool run without a task.' : null;
}

/** Returns whether a server reads arguments from headers, as only the newest protocol does. */
function takesHeaders(client: Client): boolean {
  return client.getProtocolEra() === 'modern';
}

type Rules = { server: string; takesHeaders: boolean; redact: Redact };

async function partitionTools(listed: Listed[], { server, takesHeaders, redact }: Rules): Promise<McpTools> {
  const found = listed.flatMap((each) => ('definition' in each ? [each] : []));
  const reasons = await reasonsAgainst(
    found.map(({ definition }) => definition),
    takesHeaders,
  );
  const leftOut = [
    ...listed.flatMap((each) => ('why' in each ? [each] : [])),
    ...found.flatMap(({ own }, index) => {
      const why = reasons.get(index);
      return why === undefined ? [] : [{ own, why }];
    }),
  ];
  const inLog = (own: string) => shorten(redact(`${server}__${own}`));
  const offered = found.filter((_, index) => !reasons.has(index));
  return {
    tools: offered.map(({ definition }) => definition).toSorted(byName),
    leftOut: leftOut.map(({ own, why }) => ({
      ...{ remoteName: shorten(redact(own)), name: inLog(own), why: redact(why) },
      aliases: [`${server}__${own}`, offeredName(server, own)],
    })),
    unchecked: offered.flatMap(({ own, unchecked: why }) =>
      why === null ? [] : [{ name: inLog(own), why: redact(why) }],
    ),
    outputSchemas: new Map(
      offered.flatMap(({ own, outputSchema }): [string, Record<string, unknown>][] =>
        outputSchema === null ? [] : [[own, outputSchema]],
      ),
    ),
  };
}

async function reasonsAgainst(tools: TurnTool[], takesHeaders: boolean): Promise<Map<number, string>> {
  const problems = await checkDefinitions(tools, 'provider');
  const reasons = new Map(problems.map(({ path, message }) => [Number(/\d+/.exec(path)?.[0]), message]));
  for (const [index, { description, parameters }] of tools.entries()) {
    const problem = takesHeaders ? headerProblem(parameters) : null;
    if (problem !== null) reasons.set(index, problem);
    if (description.length > MCP_BOUNDS.descriptionLength)
      reasons.set(
        index,
        `Shorten the description to at most ${MCP_BOUNDS.descriptionLength.toLocaleString('en')} characters.`,
      );
  }
  return reasons;
}

function byName({ name: one }: TurnTool, { name: other }: TurnTool): number {
  return one < other ? -1 : 1;
}

/** Returns a tool of an MCP server as Pawl's definition in JSON, before any check. */
function definitionOf(server: string, { name, title, description, ...tool }: ListedTool): string {
  return JSON.stringify({
    name: offeredName(server, name),
    description: description ?? title ?? tool.annotations?.title ?? '',
    parameters: recordOf(tool.inputSchema),
    execution: { kind: 'mcp', server },
    effect: effectOf(tool.annotations),
    outputSchema: tool.outputSchema,
  });
}

/** The most characters of a schema to mend. A larger schema is checked unchanged. */
const LARGEST_MENDED = 128 * 1024;

/** Reads a definition and mends its schema. The tool stores the server's own name if Pawl's name differs. */
async function readDefinition(text: string, server: string, { name }: ListedTool): Promise<Defined | null> {
  const { outputSchema, ...given } = recordOf(JSON.parse(text));
  const definition = recordOf(cleanJson(given, (part) => part));
  const isLarge = JSON.stringify(definition).length > LARGEST_MENDED;
  const parameters = isLarge
    ? { ...recordOf(definition.parameters), type: 'object' }
    : mendSchema(definition.parameters);
  const tool = Tool.safeParse({ ...definition, parameters }).data;
  if (!tool) return null;
  const { schema, why } = await usableOutputSchema(outputSchema);
  const remote = tool.name === `${server}__${name}` ? {} : { remoteName: name };
  return { definition: { ...tool, ...remote }, outputSchema: schema, unchecked: why };
}

/** Returns the effect from the server's hints. A tool without hints may be called at most once. */
function effectOf(hints: ListedTool['annotations']): ToolEffect {
  if (hints?.readOnlyHint) return 'none';
  return hints?.idempotentHint ? 'idempotent' : 'at_most_once';
}

const PAGE_TIMEOUT_MS = 5_000;

/**
 * Lists the wrapped tools of all pages, within 5 s for each page. A repeated page is the last page, as some servers
 * ignore the cursor. A server without tools in its capabilities may refuse the list.
 * - Why: `listTools` of the SDK writes names and other texts of the server to standard error unchanged.
 * - Gain: the log contains such texts within its bounds, redacted, and with the name of the server.
 * - Ends when the SDK takes a logger.
 */
async function listPages(client: Client): Promise<WrappedTool[]> {
  try {
    return await readPages(client);
  } catch (error) {
    const isOffered = client.getServerCapabilities()?.tools !== undefined;
    if (isOffered || readMcpError(error).kind !== 'refused') throw error;
    return [];
  }
}

async function readPages(client: Client): Promise<WrappedTool[]> {
  const tools: WrappedTool[] = [];
  let last: { tools: WrappedTool[]; nextCursor?: string | undefined } | undefined;
  for (let pages = 0; pages < MCP_BOUNDS.listPages; pages += 1) {
    const params = last && { cursor: last.nextCursor };
    const page = await client.request(
      { method: 'tools/list', ...(params && { params }) },
      { timeout: PAGE_TIMEOUT_MS },
    );
    const isSame = page.tools.length > 0 || page.nextCursor === last?.nextCursor;
    if (last && isSame && isDeepStrictEqual(page.tools, last.tools)) return tools;
    tools.push(...page.tools);
    if (page.nextCursor === undefined) return tools;
    last = page;
  }
  throw new TooLarge(`more than ${MCP_BOUNDS.listPages} pages`);
}

type JsonSchema = Record<string, unknown>;

/** The schema for the results of a tool, or the reason why it is unusable. Both are null without a schema. */
type OutputSchema = { schema: JsonSchema | null; why: string | null };

const LONGEST = 64 * 1024;

/** Reads the schema that a server declares for the results of a tool. An unusable schema is ignored. */
async function usableOutputSchema(given: unknown): Promise<OutputSchema> {
  if (given === undefined || given === null) return { schema: null, why: null };
  const schema = cleanJson(given, (text) => text);
  if (!isRecord(schema)) return { schema: null, why: 'Give a JSON Schema.' };
  if (JSON.stringify(schema).length > LONGEST) return { schema: null, why: 'Make the schema smaller than 64 KiB.' };
  try {
    await requireUsable(schema, schemaSource(''));
    return { schema, why: null };
  } catch (error) {
    return {
      schema: null,
      why: `Give a valid JSON Schema: ${error instanceof Error ? error.message : String(error)}.`,
    };
  }
}
