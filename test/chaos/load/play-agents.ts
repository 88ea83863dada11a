import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentTurn } from '../history.ts';
import { AGENTS } from '../projects.ts';
import type { Options } from '../read-options.ts';
import type { ApiClient } from './api-client.ts';

const TURNS = 40;
const VERSIONS = 12;
const REFERENCES = ['helper', 'helper@production', 'helper@1'];
const PATH = '/v1/agents/helper';

type AcceptedTurn = Pick<AgentTurn, 'id' | 'version'>;

/**
 * Starts turns of an agent while its versions and its label change. Returns each accepted turn with the version that
 * its answer reported.
 */
export async function playAgents({ seconds }: Pick<Options, 'seconds'>, client: ApiClient): Promise<AcceptedTurn[]> {
  const body = { name: 'helper', model: `openai/${AGENTS.model}`, instructions: instructionsOf(1) };
  await client.send({ method: 'POST', path: '/v1/agents', body, key: 'helper' });
  await client.send({ method: 'PUT', path: `${PATH}/labels/production`, body: { version: 1 } });
  const [accepted] = await Promise.all([
    startTurns(client, (seconds * 1_000) / TURNS),
    changeAgent(client, (seconds * 1_000) / VERSIONS),
  ]);
  return accepted;
}

/** The instructions of each version. */
export function instructionsOf(version: number): string {
  return `You are version ${version}.`;
}

async function startTurns(client: ApiClient, pauseMs: number): Promise<AcceptedTurn[]> {
  const accepted: AcceptedTurn[] = [];
  for (let number = 0; number < TURNS && !client.isOver(); number += 1) {
    const input = JSON.stringify({ sim: { answer: 'Helped.', final: { think_ms: 50 } } });
    const body = { agent: REFERENCES[number % REFERENCES.length], input };
    const answer = await client.send({ method: 'POST', path: '/v1/turns', body, key: `helped-${number}` });
    const agent = answer?.body.agent as { version: number } | undefined;
    if (answer?.status === 202 && agent) accepted.push({ id: String(answer.body.id), version: agent.version });
    await sleep(pauseMs * (0.5 + Math.random()));
  }
  return accepted;
}

/** Creates versions one after another. A repeated change is refused if the first had an effect. */
async function changeAgent(client: ApiClient, pauseMs: number): Promise<void> {
  for (let version = 1; version < VERSIONS && !client.isOver(); version += 1) {
    await sleep(pauseMs * (0.5 + Math.random()));
    await client.send({ method: 'PATCH', path: PATH, body: { instructions: instructionsOf(version + 1), version } });
    const weights = { [version]: 50, [version + 1]: 50 };
    const label = version % 2 === 0 ? { version: version + 1 } : { versions: weights };
    await client.send({ method: 'PUT', path: `${PATH}/labels/production`, body: label });
  }
}
