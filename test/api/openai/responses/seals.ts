import { newSealingKey } from '#services/api/openai/responses/sealing/seal.ts';
import { makeStateSeals } from '#services/api/openai/responses/sealing/state-seals.ts';

/** The seals that all API processes of a test share if they have no key of the database. */
export const stateSeals = makeStateSeals(newSealingKey());
