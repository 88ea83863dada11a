// An MCP server of one's own: two tools, spoken to over stdio. Pawl starts it when it is first needed, if PAWL_MCP says
//   {"units":{"command":"npx","args":["node","examples/mcp-server.ts"]}}
// and offers its tools as units__convert_length and units__roll_dice: "tools": ["units__convert_length"].
import { randomInt } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const METRES = { millimetre: 0.001, inch: 0.0254, foot: 0.3048, metre: 1, mile: 1609.344 };
const Unit = z.enum(['millimetre', 'inch', 'foot', 'metre', 'mile']);

serveStdio(() => {
  const server = new McpServer({ name: 'units', version: '1.0.0' });

  // It says that it only reads, so Pawl may try a call again. The structured content is what the model gets.
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

  // It says nothing, so a call whose answer is lost is not made again: another roll would be another number.
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
