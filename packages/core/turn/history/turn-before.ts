import type { Turn } from '../turn.ts';

/** Returns a turn at the time of the request for a round: without later content, and with the model of that round. */
export function turnBefore(turn: Turn, round: number): Turn {
  const { rounds, compactions, work } = turn;
  const asked = rounds.find(({ number }) => number === round);
  return {
    ...turn,
    ...{ status: 'in_progress', output: null, error: null, incompleteReason: null, completedAt: null },
    pendingInput: asked?.input ?? turn.pendingInput,
    rounds: rounds.filter(({ number }) => number < round),
    compactions: compactions.filter((compaction) => compaction.round <= round),
    work: { ...work, model: asked?.model ?? work.model },
  };
}
