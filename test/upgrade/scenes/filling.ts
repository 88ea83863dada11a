import type { TurnResource } from '#core/turn/resource/turn.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { Installation, Surroundings } from '../installation.ts';

/** An installation that a release fills, with the servers around it. */
export type Filling = Installation & Omit<Surroundings, typeof Symbol.asyncDispose>;

type Script = Parameters<typeof scripted>[0];
type Starter = Pick<Filling, 'main'>;

/** Returns the fields of a turn that name its scene and script its model. */
export function played(scene: string, script: Script) {
  return { input: scripted(script), metadata: { scene } };
}

/** Starts a turn of a scene. */
export function start(
  { main }: Starter,
  scene: string,
  { script, ...more }: { script: Script; [field: string]: unknown },
) {
  return main.startTurn({ ...played(scene, script), ...more });
}

/** Starts a turn of a scene, and works until no job waits. Returns the turn in its new state. */
export async function run(filling: Filling, scene: string, request: { script: Script; [field: string]: unknown }) {
  const { id } = await start(filling, scene, request);
  await filling.harness.workUntilIdle();
  return filling.main.findTurn(id);
}

/** Posts a request, and returns the body of its answer. Throws if the answer is a refusal. */
export async function post<Body = TurnResource>({ main }: Starter, path: string, body?: object): Promise<Body> {
  const { status, body: answer } = await main.call<Body>('POST', path, { body });
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Posts a request that is answered when its turn ends, and works that turn. */
export async function postAndWork<Body>(filling: Filling, path: string, body: object): Promise<Body> {
  const answer = post<Body>(filling, path, body);
  await waitUntil(() => filling.harness.workOnce(), `a job of ${path} was worked`);
  await filling.harness.workUntilIdle();
  return answer;
}

/** Returns a call of a tool. `mark` names the call in the records of the server of tools. */
export const call = (name: string, mark: string) => ({ name, arguments: { mark } });

/** Returns an HTTP tool of the surroundings. `slow` answers only if it is released. */
export function markedTool({ tools }: Pick<Filling, 'tools'>, name: string, more: object = {}) {
  const parameters = { type: 'object', properties: { mark: { type: 'string' } } };
  return httpTool(name, `${tools.url}/${name}`, { parameters, timeout_ms: 600_000, ...more });
}

/** A tool with calls for a client to answer. */
export const clientTool = {
  type: 'function',
  name: 'ask_person',
  description: 'Asks a person',
  parameters: { type: 'object', properties: { mark: { type: 'string' } } },
  execution: { kind: 'client' },
};
