import { z } from 'zod';

export const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('specific'), name: z.string().min(1).describe('The tool to call.') }),
]);
export type ToolChoice = z.infer<typeof ToolChoice>;

/** How much a model should think before it answers. No wire supports all values. */
export const ReasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

/** How long a model's answers should be. */
export const Verbosity = z.enum(['low', 'medium', 'high']);
export type Verbosity = z.infer<typeof Verbosity>;
