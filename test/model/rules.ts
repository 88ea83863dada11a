import { delayRules } from './delays/delay-rules.ts';
import { forkRules } from './forks/fork-rules.ts';
import { checkpoint, commits, queue, type Rule, turn, worker } from './rule.ts';
import { scheduleRules } from './schedules/schedule-rules.ts';

export type RuleName = keyof typeof rules;

/** The rules of the protocol, by the names that the code gives them. */
export const rules = {
  R1: { says: 'leases and claims name a run, never a worker', files: worker('lease/run') },
  R2: {
    says: '`due_at` is never null on an active turn, and commits with the change that sets it',
    files: checkpoint('sql/due', 'rescue', 'turns/postpone'),
  },
  R2b: {
    says: 'the step that is due is a column, and only checkpoints change it',
    files: [...turn('turn'), ...checkpoint('turns/lease')],
  },
  R3: {
    says: 'a step starts without a lease only if uncontended, or as a commit of the same worker just left it; a worker continues only under a lease of that commit',
    files: [
      ...turn('turn', 'predict'),
      ...checkpoint('sql/lease', 'sql/fresh-step', 'sql/wakeup', 'turns/begin', 'turns/lease', 'turns/reading/select'),
      ...checkpoint('turns/save-round', 'turns/save-results'),
      ...worker('turn-cache', 'work-turn', 'lease/run', 'lease/stop-run', 'batch/run-batch'),
    ],
  },
  R4: {
    says: 'a heartbeat acquires once, then only renews; a run has a hard limit',
    files: [...checkpoint('sql/lease', 'turns/lease'), ...worker('lease/heartbeat', 'work-turn', 'batch/run-batch')],
  },
  R5: {
    says: 'positive writes need the step, negative ones the lease; the first write wins',
    files: [
      ...checkpoint('turns/save-round', 'turns/save-results', 'turns/postpone', 'sql/lease', 'turns/change-model'),
      ...commits('advance-batch', 'advance-any', 'advance-running', 'write-reply', 'write-ending', 'row-of-ending'),
      ...worker('lease/stop-run'),
    ],
  },
  R6: {
    says: 'a claim is committed, with the lease, before the call',
    files: [...checkpoint('sql/lease', 'turns/claim-calls'), ...worker('batch/run-batch')],
  },
  R7: {
    says: 'before the call, a run that slept since its claim, by the local clock, claims again',
    files: worker('batch/stopwatch', 'batch/answer-call'),
  },
  R8: {
    says: 'only the run that has the lease gives up a claim without a result',
    files: [
      ...checkpoint('turns/save-results', 'turns/postpone'),
      ...worker('batch/plan-calls', 'batch/answer-call', 'work-turn'),
    ],
  },
  R9: {
    says: 'leased means `lease_until > now()`; a job that leaves writes nothing',
    files: [...turn('turn'), ...checkpoint('sql/lease', 'turns/reading/select', 'rescue'), ...worker('work-turn')],
  },
  R10: {
    says: 'a late result is dropped and logged',
    files: [...checkpoint('turns/save-results'), ...worker('batch/result-writer')],
  },
  R11: {
    says: 'a job id is used once per step and generation',
    files: [
      ...turn('wakeup', 'timing'),
      ...queue('job', 'bullmq/backend'),
      ...checkpoint('rescue', 'turns/postpone', 'turns/change-model'),
      ...worker('work-turn', 'job-handler'),
    ],
  },
  R12: {
    says: 'an end locks the turn, settles all open calls and creates the deliveries',
    files: [...checkpoint('turns/end'), ...commits('write-ending', 'settle-calls')],
  },
  R13: { says: 'the idempotency key of a call is made of what is stored', files: turn('call') },
  R14: {
    says: 'a retry reopens a failed turn only, due and with a new generation, behind the turn at the head',
    files: checkpoint('turns/retry'),
  },
  R15: {
    says: 'an answer from outside is the first or none, and makes due what it unblocks',
    files: [
      ...checkpoint('turns/answer-calls', 'turns/save-round'),
      ...commits('advance-batch', 'advance-any'),
      ...worker('batch/result-writer', 'batch/run-batch'),
    ],
  },
  R16: {
    says: 'a delivery commits with its event, is due until it is over, and goes to one worker at a time, in order',
    files: [
      ...checkpoint('turns/save-round', 'turns/end', 'sql/deliveries'),
      ...checkpoint('webhooks/take-deliveries', 'webhooks/save-delivery'),
      ...commits('write-reply', 'write-ending', 'row-of-ending'),
      ...turn('turn', 'wakeup'),
      ...worker('worker'),
    ],
  },
  R17: {
    says: 'the end of a turn brings the next of its conversation to the head, exactly once',
    files: [...checkpoint('turns/end'), ...commits('write-ending', 'promote-next')],
  },
  R18: {
    says: 'a lease hands out the edition; a run without one tells no pieces; a round is saved under the newest',
    files: [
      ...checkpoint('sql/edition', 'sql/fresh-step', 'turns/lease', 'turns/save-round'),
      ...commits('write-reply', 'write-ending'),
      ...worker('round/compact-line', 'round/publish-round'),
    ],
  },
  R19: {
    says: 'a call that the caller answers is settled with its round, and the turn ends where no other is open',
    files: ['packages/core/turn/next-step.ts', ...worker('round/commit-round', 'round/new-calls')],
  },
  R20: {
    says: 'what a turn stands on is decided under the lock of its conversation: it is the next one, or a fork',
    files: ['packages/core/checkpoint/turns/retry.ts', 'services/api/responses/predecessor.ts'],
  },
  R21: {
    says: 'a deleted turn is kept while anything stands on it, is passed by what comes later, and is erased',
    files: checkpoint('deletion/erase-hidden', 'deletion/erase-lines', 'turns/reading/history'),
  },
  R22: {
    says: 'an approval that a later turn adopts is used by one turn',
    files: [...turn('turn'), ...checkpoint('turns/adopt-calls'), 'services/api/responses/allowed-calls.ts'],
  },
  R23: {
    says: 'a history is compacted once before a round, asks for one summary, and tells nothing that was deleted',
    files: [
      ...turn('compaction/plan-compaction', 'compaction/sent-history'),
      ...checkpoint('deletion/forget-summaries', 'turns/compaction/save-compaction'),
      ...worker('round/compact-line'),
    ],
  },
  R24: {
    says: 'a turn leaves a model, and a round its tier, in a commit, before it asks the next one, and takes nothing of a left model afterwards',
    files: [
      ...turn('turn'),
      ...checkpoint('turns/change-model', 'turns/lease', 'turns/save-round', 'turns/postpone', 'sql/fresh-step'),
      ...checkpoint('turns/compaction/save-compaction'),
      ...commits('write-reply', 'write-ending'),
      ...worker('round/retry-round'),
    ],
  },
  R25: {
    says: 'an answer that breaks the output schema makes one repair round due, and ends its turn only after that',
    files: [
      ...turn('output/output-schema', 'predict'),
      ...checkpoint('turns/save-round'),
      ...commits('write-ending'),
      ...worker('round/commit-round'),
    ],
  },
  R26: {
    says: 'an input joins an active turn in one transaction, under the lock of its conversation, and makes nothing due',
    files: [
      ...turn('turn'),
      ...checkpoint('turns/inputs/join', 'turns/inputs/find-joinable'),
      'services/start/start-turn.ts',
      'services/start/join-active.ts',
    ],
  },
  R27: {
    says: 'a step is worked only of a turn that has its place; one that waits or ends has none, and asks for it anew',
    files: [
      ...turn('turn', 'predict', 'next-step'),
      ...checkpoint(
        'sql/place',
        'sql/fresh-step',
        'rescue',
        'turns/change-model',
        'limits/require-places',
        'bulk/stop-turns',
      ),
      ...checkpoint('provider-limits/wake-waiting', 'turns/begin', 'turns/lease', 'turns/postpone', 'turns/retry'),
      ...commits('write-ending', 'advance-any'),
      ...['migrations/0001-pawl.sql', 'services/process/admission.ts'],
    ],
  },
  R28: {
    says: 'places are handed out one admission at a time, by weight and quota, and by the clock where no commit asks',
    files: [
      ...checkpoint('limits/admit-turns'),
      ...worker('worker'),
      ...['migrations/0001-pawl.sql', 'services/process/admission.ts'],
    ],
  },
  R29: {
    says: 'a round has sent what its run had loaded, and no more; a turn begins with what its first run has loaded',
    files: [
      ...turn('turn', 'inputs/joined-input', 'history/transcript'),
      ...checkpoint('turns/begin', 'turns/lease', 'turns/save-round', 'sql/rounds/insert-round'),
      ...commits('advance-batch'),
      ...worker('turn-cache', 'work-turn', 'round/commit-round'),
    ],
  },
  R30: {
    says: 'an answer ends its turn only where it was asked with all that has joined; else it is a round, and the next is due',
    files: [
      ...turn('predict'),
      ...checkpoint('turns/inputs/join', 'turns/save-round'),
      ...commits('write-reply', 'write-ending', 'row-of-ending'),
      ...worker('round/commit-round'),
    ],
  },
  R31: {
    says: 'what is removed from a conversation is erased at once, or in the commit that removes the last fork that keeps it',
    files: checkpoint(
      ...['deletion/erase-lines', 'deletion/remove-turns', 'deletion/delete-turn', 'deletion/delete-conversation'],
      ...['turns/create', 'turns/compaction/save-compaction', 'turns/reading/history'],
    ),
  },
  R32: {
    says: 'what is old or has expired is read once more under the lock of its conversation, and erased only where it still is',
    files: [
      ...checkpoint('deletion/erase-aged', 'deletion/erase-expired', 'deletion/erase-unused'),
      ...checkpoint('sql/expires-at', 'conversations'),
      'migrations/0001-pawl.sql',
    ],
  },
  R33: {
    says: 'what a commit uses is recorded by it, outlives its turn, and is rolled up in one statement',
    files: [
      ...checkpoint('sql/rounds/record-rounds', 'turns/save-round', 'usage/roll-up-usage'),
      ...commits('write-ending'),
    ],
  },
  R34: {
    says: 'a bulk means the turns that matched when it was asked, and each is treated in one commit with its outcome',
    files: [
      ...checkpoint('bulk/create-bulk', 'bulk/stop-turns', 'bulk/take-portion', 'bulk/settle-turn'),
      ...checkpoint('turns/delays/queue-delayed'),
      ...worker('bulk/treat-turn', 'bulk/work-bulks'),
    ],
  },
  R39: {
    says: 'what a person allows is one decision with its arguments, the first or none, and the call is made with these alone',
    files: [
      ...turn('turn', 'call', 'classify-answer', 'tool-result', 'resource/turn', 'history/exchange'),
      ...checkpoint('turns/answer-calls'),
      'services/api/approved-arguments.ts',
      ...worker('batch/plan-calls'),
    ],
  },
  ...delayRules,
  ...scheduleRules,
  ...forkRules,
} satisfies Record<string, Rule>;
