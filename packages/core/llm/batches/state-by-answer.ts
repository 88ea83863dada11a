import { ProviderFailed } from '../../failure.ts';
import type { Fields } from '../reply/fields.ts';
import type { BatchApi, BatchCall } from './batch-api.ts';
import type { BatchState } from './batch-server.ts';

/** Reads the state of a batch from its object. A 404 is a lost batch, and no usable answer is a batch that is away. */
export async function stateByAnswer(
  api: BatchApi,
  call: BatchCall,
  stateOf: (batch: Fields) => BatchState | Promise<BatchState>,
): Promise<BatchState> {
  try {
    const answer = await api.call(call);
    if (answer.kind === 'answer') return await stateOf(answer.fields);
    return { kind: answer.status === 404 || answer.status === 410 ? 'lost' : 'away' };
  } catch (error) {
    call.signal.throwIfAborted();
    if (!(error instanceof ProviderFailed)) throw error;
    return { kind: 'away' };
  }
}
