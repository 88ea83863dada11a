import { z } from 'zod';
import { Turn } from './turn.ts';

/** A conversation with its standing configuration; `turn` only in the answer to a POST with `input`. */
export const Conversation = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    model: z.string().nullable(),
    instructions: z.string().nullable(),
    tools: z.array(z.unknown()),
    tool_choice: z.unknown(),
    tool_mode: z.enum(['native', 'emulated', 'inline']),
    limits: z.record(z.string(), z.int().nullable()),
    allowed_capabilities: z.array(z.string()).nullable(),
    webhook: z.unknown(),
    metadata: z.record(z.string(), z.string()),
    active_turn_id: z.string().nullable(),
    created_at: z.string(),
    turn: Turn.optional(),
  })
  .meta({ id: 'Conversation', description: 'The turns one caller keeps together, with what each of them inherits.' });
