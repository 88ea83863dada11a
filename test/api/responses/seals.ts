import { newSealingKey } from '#services/api/responses/sealing/seal.ts';
import { makeStateSeals } from '#services/api/responses/sealing/state-seals.ts';

/** What all API processes of a test share that are put together without a database's own key. */
export const stateSeals = makeStateSeals(newSealingKey());
