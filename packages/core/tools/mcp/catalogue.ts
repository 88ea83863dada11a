import type { TurnTool } from '../../turn/request/tool.ts';
import type { LeftOut } from './list/list-mcp-tools.ts';
import type { ToolListing } from './listing.ts';
import { explainProblem } from './problem.ts';

/** A server that did not list its tools when it was asked last, and a sentence for callers that says why. */
export type UnavailableServer = { server: string; reason: string };

/** The tools of servers by their names for models, the last known ones if a server is away. No turn has `leftOut`. */
export type McpCatalogue = {
  tools: TurnTool[];
  unavailable: UnavailableServer[];
  leftOut: ({ server: string } & LeftOut)[];
};

/** Reads the catalogue of all servers. Waits within the given time for each that has answered. Never rejects. */
export async function readCatalogue(
  servers: ReadonlyMap<string, ToolListing>,
  withinMs: number,
): Promise<McpCatalogue> {
  const all = await Promise.all([...servers].map(([name, listing]) => readServer(name, listing, withinMs)));
  return {
    tools: all.flatMap(({ tools }) => tools),
    unavailable: all.flatMap(({ unavailable }) => unavailable),
    leftOut: all.flatMap(({ leftOut }) => leftOut),
  };
}

async function readServer(server: string, listing: ToolListing, withinMs: number): Promise<McpCatalogue> {
  const tools = await listing.list({ withinMs, skipUnresponsive: true });
  return {
    tools: tools ?? [],
    unavailable: unavailableOf(server, listing.problem(), tools !== null),
    leftOut: listing.known().leftOut.map((each) => ({ server, ...each })),
  };
}

function unavailableOf(server: string, problem: ReturnType<ToolListing['problem']>, isKnown: boolean) {
  if (isKnown && !problem) return [];
  const known = isKnown ? ' The list has the tools that the server listed before.' : '';
  return [{ server, reason: `${explainProblem(server, problem)}${known}` }];
}
