import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import type { OpenInspector, Reader } from './browser-suite.ts';

type Way = Reader & {
  env?: Record<string, string>;
  /** Whether the turn runs to its end before its page is opened. */
  works?: boolean;
  shows?: 'turn' | 'conversation';
  /** Whether the browser may report problems. It reports each request that a test fails on purpose. */
  reports?: boolean;
};

export type OpenedTurn = AsyncDisposable & { harness: Harness; turn: TurnResource; id: string; page: Page };

/** Starts a turn, and opens its page. Fails at the end if the browser has reported a problem that is not allowed. */
export async function openTurn(
  open: OpenInspector,
  request: Record<string, unknown>,
  way: Way = {},
): Promise<OpenedTurn> {
  const { env = {}, works = true, shows = 'turn', reports = false, ...reader } = way;
  await using opening = new AsyncDisposableStack();
  const harness = opening.use(await createHarness({ env }));
  const turn = await harness.startTurn(request);
  if (works) await harness.workUntilIdle();
  const path = shows === 'turn' ? `turns/${turn.id}` : `conversations/${turn.conversation_id}`;
  const { page, problems } = opening.use(await open(`${harness.url}/#/${path}`, reader));
  const opened = opening.move();
  const close = async () => {
    await opened.disposeAsync();
    if (!reports) expect(problems).toEqual([]);
  };
  return { harness, turn, id: turn.id, page, [Symbol.asyncDispose]: close };
}
