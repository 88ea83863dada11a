import { z } from 'zod';
import { defineTool, type ToolContext, type ToolOptions } from '#core/tools/define/tool.ts';
import { type CallOutcome, runCall } from '#core/tools/run/call.ts';
import { callContext, preparedCall } from '../calls.ts';

type Execute = (input: { n?: number | undefined }, context: ToolContext) => unknown;
type Options = Partial<ToolOptions<typeof Input, z.ZodUnknown>>;

const Input = z.object({ n: z.number().optional() });

type Setting = {
  args?: Record<string, unknown>;
  effect?: 'none' | 'idempotent' | 'at_most_once';
  timeoutMs?: number;
  maxAttempts?: number;
  backoffMs?: number;
  options?: Options;
  context?: Parameters<typeof callContext>[1];
};

/** Defines a server tool with this `execute`, and runs one call. */
export async function runServerTool(execute: Execute, setting: Setting = {}): Promise<CallOutcome> {
  const { args, context: more, effect, timeoutMs, maxAttempts = 3, backoffMs = 0, options } = setting;
  const tool = defineTool({ name: 'tool', description: 'A tool for this test.', input: Input, execute, ...options });
  await using context = callContext([tool], more);
  const retry = { max_attempts: maxAttempts, backoff_ms: backoffMs };
  return await runCall(preparedCall({ ...tool.definition, effect, timeout_ms: timeoutMs, retry }, args), context);
}
