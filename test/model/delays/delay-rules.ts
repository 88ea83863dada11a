/** The rule of delayed turns: see `rules.ts`. */
export const delayRules = {
  R35: {
    says: 'a delayed turn is in no line before its time, and then takes its position and the head under the lock of its conversation',
    files: [
      'packages/core/turn/turn.ts',
      'packages/core/checkpoint/turns/create.ts',
      'packages/core/checkpoint/turns/delays/queue-delayed.ts',
      'packages/core/checkpoint/turns/inputs/debounce.ts',
      'packages/core/checkpoint/turns/commits/write-ending.ts',
      'packages/core/checkpoint/turns/commits/promote-next.ts',
      'packages/core/checkpoint/turns/reading/find.ts',
      'services/worker/routines/queue-delayed.ts',
      'services/worker/worker.ts',
    ],
  },
};
