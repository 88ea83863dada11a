import { type FlawedReply, isUnrelatedJson, type Renderer, renderResponse, streamHead } from '../render-response.ts';
import type { ResponseMeta } from '../responses/response-object.ts';
import { type ClientConnection, sendResponse } from '../send-response.ts';
import { followEvents } from './follow-events.ts';
import { advanceResponse, beginResponse, endResponse, type KeptResponse } from './kept-response.ts';
import { type ProductionMove, planProduction } from './plan-production.ts';
import type { ResponseStore } from './response-store.ts';

/** The connection that creates a response, and the store that keeps the response. */
export type Creation = {
  store: ResponseStore;
  client: ClientConnection;
  requestId: string;
  createdBy: string | null;
  renderer: Renderer;
};

/**
 * Creates a background response, and answers at once. The server produces the response without the connection of the
 * client, and a flaw of the script affects only this connection.
 */
export async function createBackground(reply: FlawedReply, meta: ResponseMeta, creation: Creation): Promise<void> {
  const { store, client, requestId, createdBy, renderer } = creation;
  const kept = beginResponse(meta, createdBy, reply.background?.stream ?? true);
  const queued = kept.state;
  store.keep(kept);
  void produce(kept, planProduction(reply, meta), store);
  if (kept.isStream && !isUnrelatedJson(reply.flaw)) {
    const { status, headers } = streamHead(requestId);
    client.head(status, headers);
    return followEvents(kept, { after: -1, flaw: reply.flaw }, client);
  }
  const atOnce = { ...reply, pace: { ...reply.pace, thinkMs: 0 } };
  const whole = { ...renderer, isStream: false, whole: () => queued };
  await sendResponse(renderResponse(atOnce, requestId, whole), client);
}

async function produce(kept: KeptResponse, moves: ProductionMove[], store: ResponseStore): Promise<void> {
  for (const move of moves) {
    await kept.waits.wait(move.waitMs);
    if (kept.waits.isStopped()) return;
    switch (move.kind) {
      case 'advance':
        advanceResponse(kept, move);
        break;
      case 'end':
        endResponse(kept, move.state);
        break;
      case 'lose':
        store.lose(kept.id);
        break;
    }
  }
}
