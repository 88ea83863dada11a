import { writeClientTypes } from './client-types.ts';

await writeClientTypes();
