import type { Context } from 'hono';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import { publishChanges } from '../../../../process/publish-changes.ts';
import type { Created } from '../../../../start/creation.ts';
import { allowedAgents } from '../../../agents/allowed-agents.ts';
import type { ApiContext } from '../../../context.ts';
import { findReplay } from '../../../http/idempotency.ts';
import type { ApiEnv } from '../../../http/router.ts';
import { hasScope } from '../../../http/scopes.ts';
import { startWithinQuota } from '../../../quotas/start-within-quota.ts';
import { startedBy } from '../../../quotas/started-by.ts';
import { findOwnResponse, responseNotFound } from '../find-response.ts';
import type { ReadRequest, TurnStarted } from '../request/read-request.ts';
import { startingOf } from '../start-response.ts';
import type { HeldConnections } from './held-connections.ts';

/** The steps of a create request: read the request, hold its connection until the turn ends if needed, and answer. */
type Creating = {
  read(): Promise<ReadRequest>;
  /** Null if the turn runs in the background. */
  held: HeldConnections | null;
  isStream: boolean;
  answer(turn: Turn): Response | Promise<Response>;
  started?: TurnStarted | undefined;
  /** Starts the turn. A caller may change the refusal. */
  starting?<T>(start: () => Promise<T>): Promise<T>;
};

/**
 * Answers a create request of either of OpenAI's APIs: reads it, starts its turn or finds the turn of the same key,
 * and waits.
 */
export async function createTurn(c: Context<ApiEnv>, context: ApiContext, creating: Creating): Promise<Response> {
  const { held, isStream, answer, starting = (start) => start() } = creating;
  const project = c.get('project');
  const start = await startingTurn(c, context, creating);
  // A long answer counts among the streams and long polls of its key, so it is refused before any work.
  const takesLong = isStream || held !== null;
  const release = takesLong ? context.streamLimiter.acquire({ project, keyId: c.get('keyId') }) : () => {};
  try {
    const turn = await starting(start);
    // The answer may take long, and does not need the body.
    c.get('releaseBody')();
    held?.hold(c.env.outgoing, turn, { goesOn: mayGoOn(c) });
    // Streams count themselves.
    if (isStream) release();
    return await answer(turn);
  } finally {
    release();
  }
}

/**
 * Returns the function that starts the turn of a request, or finds the turn of the same key. Resources in the body
 * may have been deleted since, so the key is looked up before the body is read.
 */
async function startingTurn(
  c: Context<ApiEnv>,
  context: ApiContext,
  { read, started }: Creating,
): Promise<() => Promise<Turn>> {
  const replay = await findReplay(c, context);
  if (replay) return () => replayedTurn(c, context, replay);
  const request = await read();
  return () => startTurnOf(c, context, { request, started });
}

async function startTurnOf(
  c: Context<ApiEnv>,
  context: ApiContext,
  { request, started }: Pick<Creating, 'started'> & { request: ReadRequest },
): Promise<Turn> {
  const { wire } = context.providers.ofModel(request.config.model, request.config.wires).capabilities;
  const rights = { mayApprove: hasScope(c.get('scopes'), 'approve'), allowedAgents: allowedAgents(c, context) };
  const start = { ...startedBy(c, context), ...rights, request, wire };
  const created = await startWithinQuota(c, context, startingOf(start));
  if (request.ignoredTools.length > 0) c.header('pawl-ignored-tools', request.ignoredTools.join(', '));
  if (!('turn' in created)) return replayedTurn(c, context, created);
  context.streamHub.addCreated(created.turn);
  await publishChanges(context, { wakeups: created.wakeups, ended: created.ended ?? [] });
  started?.(created.turn, request, created.follows);
  return created.turn;
}

function mayGoOn(c: Context<ApiEnv>): boolean {
  return c.req.header('pawl-on-disconnect')?.toLowerCase() === 'continue';
}

/** Finds the turn that the first request with this key started, even if it is not stored. */
async function replayedTurn(c: Context<ApiEnv>, context: ApiContext, created: Created): Promise<Turn> {
  const turn = await loadTurn(context.db, created.resourceId);
  if (!turn) throw responseNotFound();
  return turn.stored ? findOwnResponse(context.db, c.get('project'), responseIdOf(turn.id)) : turn;
}
