import { checkpoint } from '../rule.ts';

/** The rules of forks and reruns. */
export const forkRules = {
  R37: {
    says: 'a fork stands on rounds whose calls are answered, up to one, and these alone outlive their turn, as long as it is there',
    files: [
      'packages/core/turn/forks/plan-fork.ts',
      'packages/core/turn/forks/turn-up-to.ts',
      ...checkpoint('turns/reading/history', 'deletion/erase-rounds', 'deletion/erase-lines', 'deletion/remove-turns'),
      'services/api/forks/start-fork.ts',
    ],
  },
  R38: {
    says: 'what a rerun takes from the record, or denies, is saved with the round that asks for it, and no worker finds it open',
    files: [
      'packages/core/turn/forks/recorded-results.ts',
      ...checkpoint(
        'turns/save-round',
        'turns/reruns/recorded-results',
        'sql/rounds/new-calls',
        'deletion/erase-rounds',
      ),
      'services/worker/round/new-calls.ts',
    ],
  },
};
