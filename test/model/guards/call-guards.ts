import { type Guard, LEASED, TURN, TURNS, WORKER } from './guard.ts';

const tools = { calls: 'tools' } as const;
const once = { calls: 'once' } as const;

/** The guards of calls that may be made once, or again under the same key: R6, R7, R8, R13. */
export const callGuards = {
  claimIsCommitted: {
    ...{ rule: 'R6', file: `${WORKER}/batch/run-batch.ts`, code: '() => claimCalls(' },
    without: 'a call is made without a claim',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'an at_most_once call was made twice' },
  },
  claimLocksTurn: {
    ...{ rule: 'R6', file: `${TURNS}/claim-calls.ts`, code: 'for no key update' },
    without: 'a claim does not check the turn again under a lock',
    ...{ scene: tools, faults: { cancel: 1 }, caught: 'a call was claimed after its turn had ended' },
  },
  claimIsFirst: {
    ...{ rule: 'R6', file: `${TURNS}/claim-calls.ts`, code: '(claimed_by is null or claimed_by = runId)' },
    without: 'a claim replaces the claim of another run',
    ...{ scene: once, faults: { duplicate: 1, crash: 1 }, caught: 'an at_most_once call was made twice' },
  },
  claimTakesLease: {
    ...{ rule: 'R6', file: `${TURNS}/claim-calls.ts`, code: 'update work set leaseFor(sqlrunId)', shared: LEASED },
    without: 'a claim is made without a lease',
    ...{ scene: tools, faults: { duplicate: 1 }, caught: 'outcome_unknown was saved for a call that was never made' },
  },
  staleClaimIsRenewed: {
    ...{ rule: 'R7', file: `${WORKER}/batch/answer-call.ts`, code: 'if (onlyOnce) await makeSure(' },
    without: 'a run makes the call although it slept after its claim',
    ...{ scene: once, faults: { stall: 1 }, caught: 'a call was made after it was answered or its turn had ended' },
  },
  unknownIsSaved: {
    ...{ rule: 'R8', file: `${WORKER}/batch/plan-calls.ts` },
    code: "if (call.claimedBy !== null) return kind: 'give-up' ;",
    without: 'a run waits for the run that claimed the call',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'stuck' },
  },
  unknownNeedsLease: {
    ...{ rule: 'R8', file: `${TURNS}/save-results.ts` },
    code: '("leaseOwner" is null or (lease_owner = "leaseOwner" and lease_until > now()))',
    without: 'a run without the lease gives up a claim',
    ...{ scene: { calls: 'approval' }, faults: { duplicate: 1 } },
    caught: 'outcome_unknown was saved for a call that was never made',
  },
  madeCallKeepsClaim: {
    ...{ rule: 'R8', file: `${TURNS}/postpone.ts` },
    code: 'index not in (select value::int from json_array_elements_text(called))',
    without: 'a stopped run releases the claim of a call that it has made',
    ...{ scene: { calls: 'once', rescuerOff: true }, faults: { stall: 1, shutdown: 1 } },
    caught: 'an at_most_once call was made twice',
  },
  unmadeCallLosesClaim: {
    ...{ rule: 'R8', file: `${TURNS}/postpone.ts`, code: 'update tool_calls set claimed_by = null' },
    without: 'a stopped run keeps the claim of a call that it has not made',
    ...{ scene: tools, faults: { shutdown: 1 }, caught: 'outcome_unknown was saved for a call that was never made' },
  },
  keyIsStored: {
    ...{ rule: 'R13', file: `${TURN}/call.ts`, code: 'turnId.round.id' },
    without: 'each run creates its own key',
    ...{ scene: tools, faults: { crash: 1 }, caught: 'a call was sent under two keys' },
  },
} satisfies Record<string, Guard>;
