/** The rule of schedules: see `rules.ts`. */
export const scheduleRules = {
  R36: {
    says: 'a firing is one commit: its turn, what is recorded of it and the next time, by the database’s clock, of the schedule as it is',
    files: [
      'packages/core/schedule/decide-firing.ts',
      'packages/core/checkpoint/schedules/firings.ts',
      'packages/core/checkpoint/schedules/schedules.ts',
      'services/worker/schedules/fire-schedule.ts',
      'services/worker/routines/fire-schedules.ts',
    ],
  },
};
