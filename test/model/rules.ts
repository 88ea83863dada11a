import { providerRules } from './provider-rules.ts';
import { checkpoint, commits, queue, type Rule, rule, turn, worker } from './rule.ts';

export type RuleName = keyof typeof rules;

/** The rules of the protocol, by the names that the code gives them. */
export const rules = {
  R1: rule('Leases and claims name a run, never a worker.', worker('lease/run')),
  R2: rule(
    '`due_at` of an active turn is never null. It commits with the change that sets it.',
    checkpoint('sql/due', 'rescue', 'turns/postpone'),
  ),
  R2b: rule('The due step is a column. Only checkpoints change it.', turn('turn'), checkpoint('turns/lease')),
  R3: rule(
    'A step starts without a lease only if it is uncontended, or if a commit of the same worker has just made it due. A worker continues only under a lease of that commit.',
    turn('turn', 'predict'),
    checkpoint('sql/lease', 'sql/fresh-step', 'sql/wakeup', 'turns/begin', 'turns/lease', 'turns/reading/select'),
    checkpoint('turns/save-round', 'turns/save-results'),
    worker('turn-cache', 'work-turn', 'lease/run', 'lease/stop-run', 'batch/run-batch'),
  ),
  R4: rule(
    'A heartbeat acquires a lease once and then only renews it. Each run has a hard time limit.',
    checkpoint('sql/lease', 'turns/lease'),
    worker('lease/heartbeat', 'work-turn', 'batch/run-batch'),
  ),
  R5: rule(
    'A write of a result checks the step. A write of a failure or a postponement also requires the lease or a free step. The first write wins.',
    checkpoint('turns/save-round', 'turns/save-results', 'turns/postpone', 'sql/lease', 'turns/change-model'),
    checkpoint('batches/enter-batch'),
    commits('advance-batch', 'advance-any', 'write-reply', 'write-ending', 'row-of-ending'),
    worker('lease/stop-run'),
  ),
  R6: rule(
    'A commit records the claim and the lease before the call.',
    checkpoint('sql/lease', 'turns/claim-calls'),
    worker('batch/run-batch'),
  ),
  R7: rule(
    'A run that slept after its claim, by the local clock, claims again before the call.',
    worker('lease/stopwatch', 'batch/answer-call'),
  ),
  R8: rule(
    'Only the run with the lease gives up a claim without a result.',
    checkpoint('turns/save-results', 'turns/postpone'),
    worker('batch/plan-calls', 'batch/answer-call', 'work-turn'),
  ),
  R9: rule(
    'Leased means `lease_until > now()`. A job that leaves the turn writes no row.',
    turn('turn'),
    checkpoint('sql/lease', 'turns/reading/select', 'rescue'),
    worker('work-turn'),
  ),
  R10: rule('A late result is dropped and logged.', checkpoint('turns/save-results'), worker('batch/result-writer')),
  R11: rule(
    'A job id is used once per step and generation.',
    turn('wakeup', 'timing'),
    queue('job', 'bullmq/backend'),
    checkpoint('rescue', 'turns/postpone', 'turns/change-model'),
    worker('work-turn', 'job-handler'),
  ),
  R12: rule(
    'The end of a turn locks the turn, settles all open calls and creates the deliveries.',
    checkpoint('turns/end'),
    commits('write-ending', 'settle-calls'),
  ),
  R13: rule('The idempotency key of a call is derived from stored values only.', turn('call')),
  R14: rule(
    'A retry reopens only a failed turn, under a new generation. The turn is due if its conversation has no turn at the head.',
    checkpoint('turns/retry'),
  ),
  R15: rule(
    'The first answer of a client to a call wins. It makes the step due that it unblocks.',
    checkpoint('turns/answer-calls', 'turns/save-round'),
    commits('advance-batch', 'advance-any'),
    worker('batch/result-writer', 'batch/run-batch'),
  ),
  R16: rule(
    'A delivery commits with its event and is due until it ends. One worker at a time sends it. First attempts keep the order of the events.',
    checkpoint('turns/save-round', 'turns/end', 'sql/deliveries', 'webhooks/take-deliveries', 'webhooks/save-delivery'),
    commits('write-reply', 'write-ending', 'row-of-ending'),
    turn('turn', 'wakeup'),
    worker('worker'),
  ),
  R17: rule(
    'The end of a turn moves the next turn of the conversation to the head, exactly once.',
    checkpoint('turns/end'),
    commits('write-ending', 'promote-next'),
  ),
  R18: rule(
    'Each lease assigns a new draft number (`work.draft`). A run without a lease publishes no text. A round is saved under the newest number.',
    checkpoint('sql/draft', 'sql/fresh-step', 'turns/lease', 'turns/save-round'),
    commits('write-reply', 'write-ending'),
    worker('round/compact-history', 'round/publish-round'),
  ),
  R19: rule(
    'A call that the caller answers is settled with its round. The turn ends if no other call is open.',
    turn('next-step'),
    worker('round/commit-round', 'round/new-calls'),
  ),
  R20: rule(
    'The basis of a turn is decided under the lock of its conversation. The turn is either the next turn or a fork.',
    checkpoint('turns/retry'),
    ['services/api/openai/responses/predecessor.ts'],
  ),
  R21: rule(
    'A deleted turn is kept while another turn is based on it, and erased afterwards. Later turns skip it.',
    checkpoint('deletion/erase-hidden', 'deletion/erase-threads', 'turns/reading/history'),
  ),
  R22: rule('Only one later turn adopts an approved call.', turn('turn'), checkpoint('turns/adopt-calls'), [
    'services/api/openai/responses/allowed-calls.ts',
  ]),
  R23: rule(
    'A history is compacted once before a round, with one summary request. A summary contains no deleted content.',
    turn('compaction/plan-compaction', 'compaction/sent-history'),
    checkpoint('deletion/forget-summaries', 'turns/compaction/save-compaction'),
    worker('round/compact-history'),
  ),
  R24: rule(
    'A turn changes its model, and a round its tier, in a commit before the next request. After the change, no reply of the former model is saved.',
    turn('turn'),
    checkpoint('turns/change-model', 'turns/lease', 'turns/save-round', 'turns/postpone', 'sql/fresh-step'),
    checkpoint('turns/compaction/save-compaction'),
    commits('write-reply', 'write-ending'),
    worker('round/retry-round'),
  ),
  R25: rule(
    'An answer that breaks the output schema makes one repair round due. The answer ends its turn only after that round.',
    turn('output/output-schema', 'predict'),
    checkpoint('turns/save-round'),
    commits('write-ending'),
    worker('round/commit-round'),
  ),
  R26: rule(
    'An input joins an active turn in one transaction, under the lock of its conversation. It makes no step due.',
    turn('turn'),
    checkpoint('turns/inputs/join', 'turns/inputs/find-joinable'),
    ['services/start/start-turn.ts', 'services/start/join-active.ts'],
  ),
  R27: rule(
    'A worker runs a step only if its turn holds a slot. Waiting and ended turns release the slot and must request it again.',
    turn('turn', 'predict', 'next-step'),
    checkpoint('sql/slot', 'sql/fresh-step', 'rescue', 'turns/change-model', 'limits/require-slots', 'bulk/stop-turns'),
    checkpoint('provider-limits/wake-waiting', 'turns/begin', 'turns/lease', 'turns/postpone', 'turns/retry'),
    checkpoint('batches/enter-batch', 'batches/save-answers'),
    commits('write-ending', 'advance-any'),
    ['migrations/0001-pawl.sql', 'services/process/admission.ts'],
  ),
  R28: rule(
    'One admission at a time assigns slots, by weight and quota. A timer starts an admission if no commit requests it.',
    checkpoint('limits/admit-turns'),
    worker('worker'),
    ['migrations/0001-pawl.sql', 'services/process/admission.ts'],
  ),
  R29: rule(
    'A round sends exactly the inputs that its run has loaded. A turn begins with the inputs that its first run has loaded.',
    turn('turn', 'inputs/joined-input', 'history/transcript'),
    checkpoint('turns/begin', 'turns/lease', 'turns/save-round', 'sql/rounds/insert-round'),
    checkpoint('background/save-response', 'batches/enter-batch'),
    commits('advance-batch'),
    worker('turn-cache', 'work-turn', 'round/commit-round', 'batches/render-line'),
  ),
  R30: rule(
    'An answer ends its turn only if its round has sent all joined inputs. Otherwise it is saved as a round, and the next round is due.',
    turn('predict'),
    checkpoint('turns/inputs/join', 'turns/save-round'),
    commits('write-reply', 'write-ending', 'row-of-ending'),
    worker('round/commit-round'),
  ),
  R31: rule(
    'Content that is removed from a conversation is erased at once, or in the commit that removes the last fork that keeps it.',
    checkpoint(
      'deletion/erase-threads',
      'deletion/remove-turns',
      'deletion/delete-turn',
      'deletion/delete-conversation',
    ),
    checkpoint('turns/create', 'turns/compaction/save-compaction', 'turns/reading/history'),
  ),
  R32: rule(
    'Old and expired content is read again under the lock of its conversation. It is erased only if it is still old or expired.',
    checkpoint('deletion/erase-aged', 'deletion/erase-expired', 'deletion/erase-unused', 'sql/expires-at'),
    checkpoint('conversations'),
    ['migrations/0001-pawl.sql'],
  ),
  R33: rule(
    'Each commit records its usage. The usage outlives the turn, and one statement rolls it up.',
    checkpoint('sql/rounds/record-rounds', 'turns/save-round', 'usage/roll-up-usage'),
    commits('write-ending'),
  ),
  R34: rule(
    'A bulk covers the turns that matched when it was requested. Each turn is treated in one commit with its outcome.',
    checkpoint('bulk/create-bulk', 'bulk/stop-turns', 'bulk/take-batch', 'bulk/settle-turn'),
    checkpoint('turns/delays/queue-delayed'),
    worker('bulk/treat-turn', 'bulk/work-bulks'),
  ),
  R35: rule(
    'A delayed turn has no position before its time. Then it takes its position and the head under the lock of its conversation.',
    turn('turn'),
    checkpoint('turns/create', 'turns/delays/queue-delayed', 'turns/inputs/debounce', 'turns/reading/find'),
    commits('write-ending', 'promote-next'),
    worker('routines/queue-delayed', 'worker'),
  ),
  R36: rule(
    'A firing is one commit with its turn, its record and the next time. It uses the database’s clock and the current schedule.',
    checkpoint('schedules/firings', 'schedules/schedules'),
    worker('schedules/fire-schedule', 'routines/fire-schedules'),
    ['packages/core/schedule/next-time.ts'],
  ),
  R37: rule(
    'A fork is based on the rounds of a turn up to one round, with answered calls. Only these rounds outlive their turn, as long as the fork exists.',
    turn('forks/plan-fork', 'forks/turn-up-to'),
    checkpoint('turns/reading/history', 'deletion/erase-rounds', 'deletion/erase-threads', 'deletion/remove-turns'),
    ['services/api/turns/forks/start-fork.ts'],
  ),
  R38: rule(
    'A call that a rerun answers from the record, or denies, is saved with its result and its round. No worker finds it open.',
    turn('forks/recorded-results'),
    checkpoint('turns/save-round', 'turns/reruns/recorded-results', 'sql/rounds/new-calls', 'deletion/erase-rounds'),
    worker('round/new-calls'),
  ),
  R39: rule(
    'An approval is one decision with its arguments, and the first decision wins. The call runs with exactly these arguments.',
    turn('turn', 'call', 'classify-answer', 'tool-result', 'resource/turn', 'history/exchange'),
    checkpoint('turns/answer-calls'),
    worker('batch/plan-calls'),
    ['services/api/turns/answers/approved-arguments.ts'],
  ),
  ...providerRules,
} satisfies Record<string, Rule>;
