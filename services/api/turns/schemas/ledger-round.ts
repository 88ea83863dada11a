import { z } from 'zod';
import { ToolEffect } from '#core/turn/request/tool.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { listOf } from '../../schemas/page.ts';
import { AdoptedCalls, Round, ToolResult } from './round.ts';

const Approval = z
  .object({
    decision: z.enum(['allow', 'deny']).describe('The decision.'),
    reason: z.string().nullable().describe('The reason, if the person gave a reason.'),
    by: z.string().nullable().describe('The id of the API key that decided. Null without keys.'),
    at: Time.describe('The time of the decision.'),
  })
  .meta({
    id: 'Approval',
    description: 'The decision of a person about a call.',
    examples: [{ decision: 'allow', reason: 'It is due.', by: 'key_1f9a0c3b', at: '2026-11-20T10:00:30.000Z' }],
  });

const LedgerResult = ToolResult.extend({
  effect: ToolEffect.describe('Whether Pawl may repeat the call after a crash or a lost answer.'),
  idempotency_key: z.string().describe('The key that identifies the call to its tool. It is the same for every try.'),
  waits_for: z
    .enum(['output', 'approval'])
    .nullable()
    .describe('The client or person that the call waits for, or waited for before its answer.'),
  expires_at: Time.nullable().describe('The time when the wait ends. Null if it has no end.'),
  approval: orNull(Approval).describe(
    'The person’s decision about the call. Null if no person was asked, or none has decided.',
  ),
  claimed_at: Time.nullable().describe('The time when a worker claimed the call for itself alone.'),
  started_at: Time.nullable().describe('The time when the call was made. Null if it was not made.'),
  completed_at: Time.nullable().describe('The time when the answer was saved. Null before that.'),
}).meta({
  id: 'LedgerResult',
  description: 'The answer to a call, with its record in the ledger.',
  examples: [
    {
      ...{ ...exampleOf(ToolResult), effect: 'none', waits_for: null, expires_at: null, approval: null },
      idempotency_key: 'turn_01kagz8m4pfvbte2n5q7rys3wx.1.call_1',
      claimed_at: null,
      ...{ started_at: '2026-11-20T10:00:01.213Z', completed_at: '2026-11-20T10:00:01.225Z' },
    },
  ],
});

/** A round with the ledger of its calls, made by `presentLedger`. */
const LedgerRound = Round.extend({
  results: z.array(LedgerResult).describe('For each call: its answer, its approval, and its times.'),
}).meta({
  id: 'LedgerRound',
  description: 'A round with the ledger of its calls: their effect, approval and times.',
  examples: [{ ...exampleOf(Round), results: [exampleOf(LedgerResult)] }],
});

/** All rounds of a turn with the ledger of their calls, and the calls that the turn adopted. */
export const LedgerRounds = listOf(LedgerRound).extend({
  adopted_calls: AdoptedCalls.extend({
    results: z.array(LedgerResult).describe('For each call: its answer, its approval, and its times.'),
  })
    .optional()
    .describe('Calls of earlier turns that a person has allowed. They ran first. Absent if there are none.'),
});
