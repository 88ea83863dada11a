import { sql } from 'kysely';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import type { Installation } from './installation.ts';
import type { Reading, Refusal } from './recorded.ts';

type Named = { id: string; metadata?: Record<string, string> };
type Main = Pick<Installation, 'main'>;

/** Searches that find ended turns only: by texts, and by metadata. The entry of `delivered` is not in the index yet. */
const SEARCHES = [
  `/v1/turns?q=${encodeURIComponent('"all is booked" -rome')}`,
  '/v1/turns?metadata[scene]=compacted',
  '/v1/turns?metadata[scene]=delivered',
];

/** The scenes with deliveries that are pending after the end of the turn. */
const DELIVERING = ['undelivered', 'bulk'];

/** Reads the answers about ended turns, and about resources that do not change while turns end. */
export async function readLasting({ main }: Main): Promise<Reading[]> {
  const turns = await list<TurnResource>({ main }, '/v1/turns');
  const active = new Set(turns.filter(({ status }) => !isTerminal(status)).map((turn) => turn.conversation_id));
  const conversations = await list<Named>({ main }, '/v1/conversations');
  const responses = turns.filter(
    isOf('response', 'next_response', 'last_response', 'in_conversation', 'asks_approval'),
  );
  const paths = [
    ...turns.filter(({ status }) => isTerminal(status)).flatMap(pathsOfTurn),
    ...conversations.filter(({ id }) => !active.has(id)).flatMap(pathsOfConversation),
    ...responses.map(({ id }) => `/v1/responses/${id.replace('turn_', 'resp_')}`),
    ...responses.map(({ id }) => `/v1/responses/${id.replace('turn_', 'resp_')}/input_items`),
    ...turns.filter(isOf('completion')).map(({ id }) => `/v1/chat/completions/${id.replace('turn_', 'chatcmpl-')}`),
    ...['/v1/chat/completions', '/v1/files', '/v1/webhook_secret'],
    ...['/v1/agents', '/v1/agents/support/versions'],
    ...turns.flatMap(pathsOfAgent),
    ...SEARCHES,
  ];
  return readPaths({ main }, paths);
}

/** Reads the answers that change as soon as a worker works. */
export async function readPassing({ main, harness }: Installation): Promise<Reading[]> {
  const { rows } = await sql<{ id: string }>`select id from bulks`.execute(harness.db);
  const bulks = rows.map(({ id }) => `/v1/bulk/${id}`);
  const delivering = (await list<TurnResource>({ main }, '/v1/turns')).filter(isOf(...DELIVERING));
  const deliveries = delivering.map(({ id }) => `/v1/turns/${id}/deliveries`);
  return readPaths({ main }, [
    '/v1/usage?from=2020-01-01&group_by=model,key',
    '/v1/webhook_endpoints',
    ...bulks,
    ...deliveries,
  ]);
}

/** Reads the refusals to read deleted turns. A later version may change their texts, so the bodies are not read. */
export async function readRefused({ main, harness }: Installation): Promise<Refusal[]> {
  const { rows } = await sql<{ id: string }>`select id from turns where hidden_at is not null order by id`.execute(
    harness.db,
  );
  return readStatuses(
    { main },
    rows.map(({ id }) => `/v1/turns/${id}`),
  );
}

/** Reads the statuses of paths. */
export async function readStatuses({ main }: Main, paths: string[]): Promise<Refusal[]> {
  const readings = await readPaths({ main }, paths);
  return readings.map(({ path, status }) => ({ path, status }));
}

/** Reads paths again. */
export async function readPaths({ main }: Main, paths: string[]): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const path of paths) {
    const { status, body } = await main.call('GET', path);
    readings.push({ path, status, body });
  }
  return readings;
}

/** Lists all resources of a kind, over all pages. */
export async function list<Resource>({ main }: Main, path: string): Promise<Resource[]> {
  const found: Resource[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const query: string = next ? `&cursor=${next}` : '';
    const { body } = await main.call<{ data: Resource[]; next_cursor: string | null }>(
      'GET',
      `${path}?limit=100${query}`,
    );
    found.push(...body.data);
    next = body.next_cursor ?? null;
  }
  return found;
}

function isOf(...scenes: string[]) {
  return ({ metadata }: Pick<TurnResource, 'metadata'>) => scenes.includes(String(metadata.scene));
}

function pathsOfTurn({ id, metadata }: TurnResource): string[] {
  const deliveries = DELIVERING.includes(String(metadata.scene)) ? [] : [`/v1/turns/${id}/deliveries`];
  return [`/v1/turns/${id}`, `/v1/turns/${id}/rounds`, `/v1/turns/${id}/events?limit=1000`, ...deliveries];
}

/** A deleted agent is readable by its id and version. */
function pathsOfAgent({ agent }: TurnResource): string[] {
  return agent ? [`/v1/agents/${agent.id}?version=${agent.version}`] : [];
}

function pathsOfConversation({ id, metadata }: Named): string[] {
  const items = metadata?.of === 'openai' ? [`/openai/v1/conversations/${id}/items`] : [];
  return [`/v1/conversations/${id}`, `/v1/conversations/${id}/messages`, ...items];
}
