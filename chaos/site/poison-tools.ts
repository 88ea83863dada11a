import { defineTool } from 'pawl/tools';
import { z } from 'zod';

/** A tool that takes its worker with it, as a crash in native code or a lack of memory would. */
export default [
  defineTool({
    name: 'crash_worker',
    description: 'Ends the process it runs in, at once and without a word.',
    input: z.object({}),
    effect: 'none',
    execute: () => {
      process.stdout.write(`${JSON.stringify({ msg: 'poison taken' })}\n`);
      process.kill(process.pid, 'SIGKILL');
    },
  }),
];
