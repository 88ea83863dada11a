import { exponentialBackoffMs } from '#core/backoff.ts';
import { listToolsets } from '#core/checkpoint/workers.ts';
import { lackedBy } from '#core/tools/loaded-tools.ts';
import { toolsFor } from '#core/turn/call.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { dueWakeups, postpone } from '../lease/stop-run.ts';

/** The pause between two checks for a worker that has the tools of a step. */
const PAUSE = { firstMs: 1_000, longestMs: 15_000 };

/** Returns the tool or the MCP server that a call needs and this worker has not loaded, or null. */
export function toolLackedBy(turn: Turn, call: ToolCall, context: Pick<WorkerContext, 'tools' | 'mcp'>): string | null {
  const tool = toolsFor(turn.config, call).find(({ name }) => name === call.name);
  return tool ? lackedBy(tool, context) : null;
}

/**
 * Hands back a batch if its open calls need tools that this worker has not loaded. Counts no attempt. The claims of
 * `called`, the calls that this run has made, stay.
 * - If a live worker has loaded the tools, the batch is enqueued for that worker at once.
 * - If no worker has loaded the tools, the turn waits, and each worker that takes the turn checks again.
 */
export async function handOn(
  run: Run,
  { lacked, called }: { lacked: string[]; called: number[] },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { turn, lease } = run;
  const toolset = bestOf(await listToolsets(context.db), lacked);
  const delayMs = toolset ? 0 : exponentialBackoffMs(lease.generation + 1, PAUSE);
  const wakeups = await postpone(run, { called, delayMs, rateLimited: true }, context);
  if (!wakeups) return dueWakeups(run, context);

  const about = { event: 'batch.handed_on', turn_id: turn.id, step: lease.step, tools: lacked };
  const names = lacked.join(', ');
  if (toolset) context.log.debug(about, `calls of ${names} go to a worker that has loaded them`);
  else context.log.warn(about, `no worker has loaded ${names}, so the turn waits. Check PAWL_TOOLS and PAWL_MCP.`);
  return toolset ? wakeups.map((wakeup) => ({ ...wakeup, toolset })) : wakeups;
}

/** Returns the set with the most missing tools, or null if no set has any. */
function bestOf(toolsets: string[][], lacked: string[]): string[] | null {
  const known = toolsets.map((tools) => ({ tools, count: lacked.filter((name) => tools.includes(name)).length }));
  const best = known.reduce((one, other) => (other.count > one.count ? other : one), { tools: [''], count: 0 });
  return best.count > 0 ? best.tools : null;
}
