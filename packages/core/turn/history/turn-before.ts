import type { Turn } from '../turn.ts';

/** A turn as it stood when one of its rounds was asked: what came later is left out, and that round's model is asked. */
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
