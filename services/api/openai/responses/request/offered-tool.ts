import type { LabelledTool } from '#core/turn/request/labelled-tool.ts';
import type { GivenTool, HandOver } from '#core/turn/request/tool.ts';

/** One tool that the model is offered. An `mcp` tool of a create request offers any number. */
export type OfferedTool = {
  /** The path of its definition in the request: `tools[1]`, or `tools[1].tools[0]` in a namespace. */
  path: string;
  /** What the model calls it. */
  name: string;
  /** How a `tool_choice` refers to it. */
  reference: { type: 'function' | 'custom'; name: string } | ({ type: 'mcp' } & LabelledTool);
  /** As a turn request would have it: the name of an operator's tool, or a definition. */
  given: string | GivenTool;
  /** Null if Pawl runs it. */
  handOver: HandOver | null;
  strict: boolean | null;
  /** Whether its calls need an approval, also where the operator's definition says nothing of it. */
  needsApproval: boolean;
};

/** One tool of a create request: as answers show it again, `null` where nothing was sent, and what of it is offered. */
export type ReadTool = { shown: Record<string, unknown>; offered: OfferedTool[] };
