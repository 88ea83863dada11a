import { defineTool } from 'pawl/tools';
import { z } from 'zod';

const city = z.object({ city: z.string().describe('Name of the city') });

/** Server-side tools for the tests. Each effect has a tool. */
export default [
  defineTool({
    name: 'weather_lookup',
    description: 'Looks up the weather of a city',
    input: city,
    effect: 'none',
    statusText: 'Checking the weather…',
    execute: ({ city }) => ({ city, temp: 22, condition: 'sunny' }),
  }),
  defineTool({
    name: 'send_postcard',
    description: 'Sends a postcard to a city, once',
    input: city,
    execute: ({ city }) => `sent to ${city}`,
  }),
  defineTool({
    name: 'note_visit',
    description: 'Notes a visit, the same one only once',
    input: city,
    effect: 'idempotent',
    execute: ({ city }, { idempotencyKey }) => `${city} noted as ${idempotencyKey}`,
  }),
];
