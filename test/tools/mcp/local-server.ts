import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const aborted = Promise.withResolvers<void>();

/** A command for tests. Reports its process and environment, and can end or hang during a call. */
serveStdio(() => {
  const server = new McpServer({ name: 'local', version: '1.0.0' });
  const nothing = { inputSchema: z.object({}) };
  const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });

  server.registerTool('pid', nothing, () => says(String(process.pid)));
  server.registerTool('variables', nothing, () => says(JSON.stringify(process.env)));
  server.registerTool('end', nothing, () => process.exit(1));
  server.registerTool('flood', nothing, async () => {
    await new Promise((resolve) => process.stdout.write('x'.repeat(9 * 1024 * 1024), resolve));
    return says('');
  });
  server.registerTool('hang', nothing, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return says('');
  });
  server.registerTool('until_aborted', nothing, async (_, { mcpReq: { signal } }) => {
    signal.addEventListener('abort', () => aborted.resolve());
    await aborted.promise;
    return says('');
  });
  server.registerTool('was_aborted', nothing, async () => {
    await aborted.promise;
    return says('yes');
  });
  return server;
});
