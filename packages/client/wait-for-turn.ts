import type { Api } from './ask.ts';
import type { CallOptions, Turn } from './connect-pawl.ts';
import { PATIENCE_MS, tryAgain } from './patience.ts';
import { pause } from './pause.ts';

/** Below the 60 s after which many a proxy ends what is silent. */
const WAIT_SECONDS = 50;
const ANSWER_SECONDS = 15;
const POLL_AFTER_MS = 500;

/** Long-polls a turn until it is enough, for as long as the server is ever heard. */
export async function waitForTurn<Enough extends Turn>(
  api: Api,
  path: string,
  { isEnough, signal, patienceMs = api.patienceMs ?? PATIENCE_MS.watch }: Waiting<Enough>,
): Promise<Enough> {
  const timeoutMs = (WAIT_SECONDS + ANSWER_SECONDS) * 1000;
  const request = { path, query: { wait: WAIT_SECONDS }, timeoutMs, signal };
  for (;;) {
    const { turn, pollAfterMs } = await tryAgain(() => api.exchange(request, readPoll), { patienceMs, signal });
    if (isEnough(turn)) return turn;
    await pause(pollAfterMs, signal);
  }
}

type Waiting<Enough extends Turn> = CallOptions & { isEnough(turn: Turn): turn is Enough };

/** The turn, and when the server wants to be asked again. */
async function readPoll(response: Response) {
  const turn = (await response.json()) as Turn;
  return { turn, pollAfterMs: Number(response.headers.get('pawl-poll-after-ms') ?? POLL_AFTER_MS) };
}
