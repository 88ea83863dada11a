import { defineTool, ToolFailed } from 'pawl/tools';
import { z } from 'zod';

const input = z.object({ city: z.string().optional() });
const odd = (name: string) => ({ name, description: 'Behaves in an odd way', input });

/** Server-side tools that misbehave. */
export default [
  defineTool({
    ...odd('fail_loudly'),
    execute: () => {
      throw new ToolFailed('resource_not_found', 'There is no such city.', { city: 'Atlantis', nearest: 'Lisbon' });
    },
  }),
  defineTool({
    ...odd('throw_up'),
    execute: () => {
      throw new Error('something broke');
    },
  }),
  defineTool({
    ...odd('never_answer'),
    effect: 'none',
    retry: { maxAttempts: 2, backoffMs: 1 },
    execute: () => new Promise(() => {}),
  }),
  defineTool({ ...odd('say_much'), effect: 'none', execute: () => `${'x'.repeat(1000)}end` }),
  defineTool({ ...odd('say_too_much'), effect: 'none', execute: () => 'x'.repeat(5 * 1024 * 1024) }),
  defineTool({ ...odd('say_all'), effect: 'none', execute: () => 'x'.repeat(3 * 1024 * 1024) }),
];
