import type { TurnResource } from '#core/turn/present-turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { World } from './create-world.ts';

/** A minute goes by: whatever waited for a moment in it is rung and worked. */
export async function letTimePass(world: World): Promise<void> {
  await world.advance(60_000);
  await world.rescue();
  await world.workUntilIdle();
}

/** Works, and lets as many minutes pass as it takes, until a turn has ended. */
export async function workUntilEnded(world: World, turnId: string): Promise<TurnResource> {
  await world.workUntilIdle();
  for (let minutes = 0; minutes < 30; minutes += 1) {
    const turn = await world.findTurn(turnId);
    if (isTerminal(turn.status)) return turn;
    await letTimePass(world);
  }
  throw new Error(`${turnId} has not ended in 30 minutes`);
}
