/** A rule of the protocol: what it says, and the files of the code that keep it and name it. */
export type Rule = { says: string; files: string[] };

export type RuleName = keyof typeof rules;

const checkpoint = (...names: string[]) => names.map((name) => `packages/core/checkpoint/${name}.ts`);
const worker = (...names: string[]) => names.map((name) => `services/worker/${name}.ts`);

/** The rules of the protocol, by the names that the code gives them. */
export const rules = {
  R1: { says: 'holds and claims name a run, never a worker', files: worker('run') },
  R2: {
    says: '`due_at` is never null on an active turn and commits with what it is about',
    files: checkpoint('due', 'rescue-turns', 'postpone-step'),
  },
  R2b: {
    says: 'the step owed is a column, and only checkpoints change it',
    files: ['packages/core/turn/turn.ts', ...checkpoint('renew-holds')],
  },
  R3: {
    says: 'lazy only when quiet, or just left so by a commit of the same worker',
    files: [
      ...['turn/turn', 'turn/after-round', 'turn/after-batch'].map((name) => `packages/core/${name}.ts`),
      ...checkpoint('begin-turn', 'take-hold', 'select-turns'),
      ...worker('turn-memory', 'jobs/work-turn'),
    ],
  },
  R4: {
    says: 'a heartbeat acquires once, then only renews; a run has a hard limit',
    files: [...checkpoint('renew-holds'), ...worker('heartbeat', 'jobs/work-turn', 'jobs/run-tool-batch')],
  },
  R5: {
    says: 'good writes need the step, negative ones the hold; first write wins',
    files: [
      ...checkpoint('save-round', 'save-results', 'advance-batch', 'append-events', 'postpone-step', 'write-ending'),
      ...worker('jobs/fail-turn'),
    ],
  },
  R6: {
    says: 'a claim is committed, with the hold, before the call',
    files: [...checkpoint('claim-calls'), ...worker('jobs/run-tool-batch')],
  },
  R7: {
    says: 'before the call, the local clock: slept since the claim → make sure again',
    files: worker('moment', 'jobs/answer-call'),
  },
  R8: {
    says: 'a claim without result is judged only by whoever holds the turn',
    files: [
      ...checkpoint('save-results', 'postpone-step'),
      ...worker('plan-call', 'jobs/answer-call', 'jobs/work-turn'),
    ],
  },
  R9: {
    says: 'held means `held_until > now()`; leaving writes nothing',
    files: ['packages/core/turn/turn.ts', ...checkpoint('select-turns', 'rescue-turns'), ...worker('jobs/work-turn')],
  },
  R10: {
    says: 'a late result is dropped and logged',
    files: [...checkpoint('save-results'), ...worker('result-box')],
  },
  R11: {
    says: 'a job id is used once per step and ring number',
    files: [
      ...['turn/ring', 'turn/ring-of', 'turn/timing', 'queue/job', 'queue/backend'].map(
        (name) => `packages/core/${name}.ts`,
      ),
      ...checkpoint('rescue-turns', 'postpone-step'),
      ...worker('jobs/work-turn'),
    ],
  },
  R12: {
    says: 'an end locks the turn, settles all open calls, owes the delivery',
    files: checkpoint('end-turn', 'write-ending'),
  },
  R13: { says: 'the key of a call is made of what is stored', files: ['packages/core/turn/idempotency-key.ts'] },
  R14: {
    says: 'a retry reopens a failed turn only, owed and rung anew, behind whoever is at the head',
    files: checkpoint('retry-turn'),
  },
  R15: {
    says: 'an answer from outside is the first or none, and makes owed what it frees',
    files: [...checkpoint('answer-calls', 'advance-batch'), ...worker('result-box', 'jobs/run-tool-batch')],
  },
  R16: {
    says: 'a delivery commits with its event, is due until it is over, and goes to one worker at a time, in order',
    files: checkpoint('end-turn', 'write-ending', 'owe-deliveries', 'take-delivery', 'save-delivery'),
  },
  R17: {
    says: 'the end of a turn brings the next of its conversation to the head, exactly once',
    files: checkpoint('end-turn', 'write-ending', 'promote-next'),
  },
} satisfies Record<string, Rule>;
