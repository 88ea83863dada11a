import type { HostedTool } from '#core/turn/hosted/hosted-tool.ts';
import type { LabelledTool } from '#core/turn/request/labelled-tool.ts';
import type { GivenTool, HandOver } from '#core/turn/request/tool.ts';

/** A tool that the model is offered. An `mcp` tool of a create request offers any number of tools. */
export type OfferedTool = {
  /** The path of its definition in the request: `tools[1]`, or `tools[1].tools[0]` in a namespace. */
  path: string;
  /** The name by which the model calls the tool. */
  name: string;
  /** How a `tool_choice` refers to the tool. */
  reference: { type: 'function' | 'custom'; name: string } | ({ type: 'mcp' } & LabelledTool);
  /** The tool in the form of a turn request: the name of an operator's tool, or a definition. */
  given: string | GivenTool;
  /** Null if Pawl runs the tool. */
  handOver: HandOver | null;
  strict: boolean | null;
  /** Whether its calls need an approval, even if the operator's definition does not require it. */
  needsApproval: boolean;
};

/** A tool that the provider runs, with the path and the type of its definition in the request. */
export type OfferedHosted = { path: string; asked: string; tool: HostedTool };

/**
 * A tool of a create request: the form that answers repeat (`null` for unset fields), the tools that it offers, and the
 * tool that the provider runs.
 */
export type ReadTool = { shown: Record<string, unknown>; offered: OfferedTool[]; hosted?: OfferedHosted };
