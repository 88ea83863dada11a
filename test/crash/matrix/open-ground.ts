import type { TurnResource } from '#core/turn/present-turn.ts';
import type { WebhookEndpoint } from '#core/turn/webhook-endpoint.ts';
import { apiClient } from '#test/world/api-client.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { openMcpStranger } from '#test/world/mcp-stranger.ts';
import { openLeftovers } from './leftovers.ts';
import { openWitness, type Witness } from './open-witness.ts';

type Endpoint = Pick<WebhookEndpoint, 'id' | 'status' | 'description'> & { disabled_reason: string | null };

const MOST_SCENES = 600;

/** One turn's own surroundings in a world that others had before: a project, so that nothing of theirs is found. */
export type Scene = ReturnType<typeof apiClient> & {
  project: string;
  world: World;
  witness: Witness;
  env: Record<string, string>;
  /** All turns of the scene, oldest first. */
  turns(): Promise<TurnResource[]>;
  endpoints(): Promise<Endpoint[]>;
  /** Whether whoever is to be told of what happened so far has been. */
  isTold(): Promise<boolean>;
  /** The scene's own client, of another API. */
  at(url: string): ReturnType<typeof apiClient>;
};

/** Where processes die one after the other: a database and a queue, another worker and API, and the witness. */
export async function openGround(redis: boolean) {
  const projects = Array.from({ length: MOST_SCENES }, (_, number) => `p${number}`);
  const mcp = await openMcpStranger();
  const world = await createWorld({
    redis,
    env: {
      PAWL_MCP: JSON.stringify({ cities: { url: mcp.url } }),
      PAWL_API_KEYS: projects.map((project) => `${project}:key-of-${project}`).join(),
      PAWL_TOOLS: new URL('./tools.ts', import.meta.url).pathname,
    },
  });
  const witness = await openWitness(world, mcp.calls);
  const leftovers = await openLeftovers(world);

  return {
    leftovers,
    newScene: (): Scene => {
      const project = projects.pop();
      if (!project) throw new Error('This ground has seen too many scenes; open another one.');
      const at = (url: string) => apiClient(url, `key-of-${project}`);
      const client = at(world.url);
      const listed = async <One>(path: string) =>
        (await client.call<{ data: One[] }>('GET', `${path}limit=100`)).body.data.reverse();
      const turns = () => listed<TurnResource>('/v1/turns?include=rounds&');
      const endpoints = () => listed<Endpoint>('/v1/webhook_endpoints?');
      const owed = world.db.selectFrom('deliveries').where('project', '=', project).where('status', '=', 'pending');
      const isTold = async () => (await owed.select('id').executeTakeFirst()) === undefined;
      return { ...client, project, world, witness, env: world.env, turns, endpoints, isTold, at };
    },
    [Symbol.asyncDispose]: async () => {
      await leftovers.close();
      await witness[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
      await mcp[Symbol.asyncDispose]();
    },
  };
}

export type Ground = Awaited<ReturnType<typeof openGround>>;
