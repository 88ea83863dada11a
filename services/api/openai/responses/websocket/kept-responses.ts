import { outputAsInput } from '#core/turn/responses/input-item.ts';
import { responseIdOf } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { PlacedItem } from '../request/read-input.ts';
import type { ReadRequest } from '../request/read-request.ts';
import { KEPT } from '../resolve-input.ts';
import type { KeptBytes } from './kept-bytes.ts';

/**
 * An unstored response in the form that the next request needs: its input and its output, after the stored turn that
 * it `follows`. `turnIds` are its turn and the turns of the kept responses before it. `bytes` is the approximate size
 * of the items.
 */
export type KeptResponse = {
  id: string;
  follows: string | null;
  input: PlacedItem[];
  turnIds: string[];
  bytes: number;
};

/** The unstored responses that a connection keeps in memory. */
export type KeptResponses = {
  find(responseId: unknown): KeptResponse | undefined;
  /** Keeps a response as the last response of its lane, in place of the previous response. */
  keep(streamId: string, response: KeptResponse): void;
  drop(responseId: string): void;
  /** Drops all responses, and keeps no more. */
  close(): void;
};

/**
 * Makes the memory of a connection. It keeps at most `mostBytes`, the most that a client could send in a single
 * request. The oldest response is dropped first, also if the connections of the process keep too much.
 */
export function makeKeptResponses(mostBytes: number, keptBytes: KeptBytes): KeptResponses {
  const byLane = new Map<string, KeptResponse & { release(): void }>();
  let isClosed = false;

  const bytes = () => [...byLane.values()].reduce((sum, kept) => sum + kept.bytes, 0);
  function remove(streamId: string): void {
    byLane.get(streamId)?.release();
    byLane.delete(streamId);
  }
  return {
    find: (responseId) => [...byLane.values()].find(({ id }) => id === responseId),
    keep: (streamId, response) => {
      remove(streamId);
      if (isClosed) return;
      const release = keptBytes.hold(response.bytes, () => byLane.delete(streamId));
      byLane.set(streamId, { ...response, release });
      for (const oldest of byLane.keys()) {
        if (bytes() > mostBytes) remove(oldest);
      }
    },
    drop: (responseId) => {
      for (const [streamId, { id }] of byLane) if (id === responseId) remove(streamId);
    },
    close: () => {
      isClosed = true;
      for (const streamId of byLane.keys()) remove(streamId);
    },
  };
}

/** The create request of a turn, the size of its message, and the stored turn and the kept response that it follows. */
export type Followed = {
  request: ReadRequest;
  requestBytes: number;
  follows: string | null;
  followed: KeptResponse | undefined;
};

/** Returns an ended turn in the form that its connection keeps. */
export function keptResponse(turn: Turn, { request, requestBytes, follows, followed }: Followed): KeptResponse {
  const output = outputAsInput(turn);
  const items = [...request.input.map(({ item }) => item), ...output];
  return {
    ...{ id: responseIdOf(turn.id), follows },
    turnIds: [...(followed?.turnIds ?? []), turn.id],
    input: items.map((item) => ({ at: KEPT, item })),
    bytes: (followed?.bytes ?? 0) + requestBytes + JSON.stringify(output).length,
  };
}
