import type { History } from '../history.ts';
import { instructionsOf } from '../load/play-agents.ts';

/** Returns accepted turns of an agent that did not run with the version that their answer reported. */
export function changedVersions({ agents: { accepted, turns, modelCalls } }: Pick<History, 'agents'>): string[] {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const asked = new Map(modelCalls.map(({ turnId, messages }) => [turnId, messages[0]]));
  const firstMessages = new Map(accepted.map(({ id, version }) => [version, asked.get(id)]));
  return accepted.flatMap(({ id, version }) => {
    const turn = byId.get(id);
    const isKept = turn?.version === version && turn.instructions === instructionsOf(version);
    const isAsked = asked.get(id) === firstMessages.get(version);
    if (turn?.status === 'completed' && isKept && isAsked) return [];
    return [`${id} was accepted with version ${version}, and is ${JSON.stringify(turn)}`];
  });
}

/** Returns versions that are missing, repeated or changed. */
export function brokenVersions({ agents: { versions } }: Pick<History, 'agents'>): string[] {
  return versions.flatMap(({ version, instructions }, index) =>
    version === index + 1 && instructions === instructionsOf(version)
      ? []
      : [`version ${version} has the instructions ${instructions}`],
  );
}
