import type { ProviderDetails } from '../../failure.ts';

/**
 * The answer to one request of a batch: the whole answer of the model's API, or the reason why there is none.
 * `refused`: Pawl gives the request up, with a failure that is permanent.
 */
export type BatchAnswer =
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'expired' | 'cancelled' | 'missing' | 'too-large' }
  | { kind: 'refused'; code: string; message: string; provider: ProviderDetails };
