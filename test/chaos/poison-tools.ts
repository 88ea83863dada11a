import { defineTool } from 'pawl/tools';
import { z } from 'zod';

/** A tool that kills its worker, like a crash in native code or a lack of memory. */
export default [
  defineTool({
    name: 'crash_worker',
    description: 'Ends the process it runs in, at once and without a log line.',
    input: z.object({}),
    effect: 'none',
    execute: () => {
      process.stdout.write(`${JSON.stringify({ msg: 'poison taken' })}\n`);
      process.kill(process.pid, 'SIGKILL');
    },
  }),
];
