// An MCP server with two tools, over stdio. Pawl starts the server at its first use, if PAWL_MCP is
//   {"units":{"command":"npx","args":["node","examples/mcp-server.ts"]}}
// Turns name its tools units__convert_length and units__roll_dice: "tools": ["units__convert_length"].
import { randomInt } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const METRES = { millimetre: 0.001, inch: 0.0254, foot: 0.3048, metre: 1, mile: 1609.344 };
const Unit = z.enum(['millimetre', 'inch', 'foot', 'metre', 'mile']);

serveStdio(() => {
  const server = new McpServer({ name: 'units', version: '1.0.0' });

  // The hint says that the tool only reads, so Pawl may repeat a call. The model gets the structured content.
  server.registerTool(
    'convert_length',
    {
      description: 'Converts a length from one unit to another.',
      inputSchema: z.object({ value: z.number(), from: Unit, to: Unit }),
      outputSchema: z.object({ value: z.number(), unit: Unit }),
      annotations: { readOnlyHint: true },
    },
    ({ value, from, to }) => {
      const converted = { value: (value * METRES[from]) / METRES[to], unit: to };
      return { content: [], structuredContent: converted };
    },
  );

  // Without a hint, Pawl does not repeat a call after a lost answer, since another roll gives another number.
  server.registerTool(
    'roll_dice',
    { description: 'Rolls dice with six sides.', inputSchema: z.object({ dice: z.int().min(1).max(100) }) },
    ({ dice }) => {
      const rolled = Array.from({ length: dice }, () => randomInt(1, 7));
      return { content: [{ type: 'text', text: rolled.join(' ') }] };
    },
  );

  return server;
});
