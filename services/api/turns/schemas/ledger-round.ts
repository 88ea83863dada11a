import { z } from 'zod';
import { ToolEffect } from '#core/turn/request/tool.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { orNull } from '../../schemas/fields/or-null.ts';
import { Time } from '../../schemas/fields/time.ts';
import { listOf } from '../../schemas/page.ts';
import { AdoptedCalls, Round, ToolResult } from './round.ts';

const Approval = z
  .object({
    decision: z.enum(['allow', 'deny']).describe('What was decided.'),
    reason: z.string().nullable().describe('Why, where a reason was given.'),
    by: z.string().nullable().describe('The id of the key that decided; null without keys.'),
    at: Time.describe('When it was decided.'),
  })
  .meta({
    id: 'Approval',
    description: 'What a person decided about a call.',
    examples: [{ decision: 'allow', reason: 'It is due.', by: 'key_1f9a0c3b', at: '2026-11-20T10:00:30.000Z' }],
  });

const LedgerResult = ToolResult.extend({
  effect: ToolEffect.describe('What a crash or a lost answer in the middle of the call means.'),
  idempotency_key: z.string().describe('What the tool knows the call by; the same however often it is tried.'),
  waits_for: z
    .enum(['output', 'approval'])
    .nullable()
    .describe('Whom the call waits for, or waited for when it was answered.'),
  expires_at: Time.nullable().describe('When waiting ends; null where it does not end.'),
  approval: orNull(Approval).describe(
    'Which person allowed or denied the call; null where none was asked, or not yet.',
  ),
  claimed_at: Time.nullable().describe('When a worker promised that it alone makes the call.'),
  started_at: Time.nullable().describe('When the call was made; null where it was not.'),
  completed_at: Time.nullable().describe('When its answer was saved; null until then.'),
}).meta({
  id: 'LedgerResult',
  description: 'The answer to a call, and what the ledger holds beside it.',
  examples: [
    {
      ...{ ...exampleOf(ToolResult), effect: 'none', waits_for: null, expires_at: null, approval: null },
      idempotency_key: 'turn_01kagz8m4pfvbte2n5q7rys3wx.1.call_1',
      claimed_at: null,
      ...{ started_at: '2026-11-20T10:00:01.213Z', completed_at: '2026-11-20T10:00:01.225Z' },
    },
  ],
});

/** A round with its calls as the ledger holds them; `presentLedger` makes it. */
const LedgerRound = Round.extend({
  results: z.array(LedgerResult).describe('Of each call its answer, who allowed it, and when it ran.'),
}).meta({
  id: 'LedgerRound',
  description: 'A round, and of each of its calls what it may do, who allowed it, and when it ran.',
  examples: [{ ...exampleOf(Round), results: [exampleOf(LedgerResult)] }],
});

/** All rounds of a turn as the ledger holds them, and the calls that it adopted. */
export const LedgerRounds = listOf(LedgerRound).extend({
  adopted_calls: AdoptedCalls.extend({
    results: z.array(LedgerResult).describe('Of each call its answer, who allowed it, and when it ran.'),
  })
    .optional()
    .describe('Calls of earlier turns that a person has allowed; they ran first. Absent where there are none.'),
});
