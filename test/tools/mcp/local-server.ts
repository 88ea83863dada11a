import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const toldOff = Promise.withResolvers<void>();

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
  server.registerTool('until_told', nothing, async (_, { mcpReq: { signal } }) => {
    signal.addEventListener('abort', () => toldOff.resolve());
    await toldOff.promise;
    return says('');
  });
  server.registerTool('was_told', nothing, async () => {
    await toldOff.promise;
    return says('yes');
  });
  return server;
});
