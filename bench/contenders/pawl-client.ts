import { type Dispatcher, Pool } from 'undici';

/** The fields of a turn that the benchmark reads from the API. */
export type SeenTurn = { id: string; status: string; round: number; output: string | null };

/** A client of Pawl's API. Every answer but 2xx is an error. */
export type PawlClient = {
  post(path: string, body: unknown): Promise<SeenTurn>;
  get(path: string): Promise<SeenTurn>;
  /** Waits for the end of a turn by long polls, ten minutes at most. */
  waitForEnd(turnId: string): Promise<SeenTurn>;
  close(): Promise<void>;
};

const CONNECTIONS = 1_000;
const POLLS = 10;

/** Opens a client that keeps its connections. */
export function openPawlClient(url: string): PawlClient {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const headers = { 'content-type': 'application/json' };
  const get = (path: string) => send(pool, { method: 'GET', path });
  return {
    get,
    post: (path, body) => send(pool, { method: 'POST', path, headers, body: JSON.stringify(body) }),
    waitForEnd: async (turnId) => {
      let turn = await get(`/v1/turns/${turnId}?wait=60`);
      for (let poll = 1; poll < POLLS && !hasEnded(turn); poll += 1) turn = await get(`/v1/turns/${turnId}?wait=60`);
      return turn;
    },
    close: () => pool.destroy(),
  };
}

async function send(pool: Pool, request: Dispatcher.RequestOptions): Promise<SeenTurn> {
  const { statusCode, body } = await pool.request(request);
  if (statusCode < 300) return (await body.json()) as SeenTurn;
  throw new Error(`${request.method} ${request.path} was answered ${statusCode}: ${await body.text()}`);
}

function hasEnded({ status }: SeenTurn): boolean {
  return status !== 'queued' && status !== 'in_progress';
}
