/**
 * Every package the product imports, and where: a folder or one file. What two rooms need has two owners; what is not
 * here enters this table before it enters code. Tests, benchmarks and the demo may import what they like.
 */
export const owners: Record<string, string[]> = {
  kysely: ['packages/core/checkpoint/'],
  postgres: [
    'packages/core/checkpoint/',
    'packages/core/live/postgres-live.ts',
    'services/standalone/embedded-postgres/',
  ],
  bullmq: ['packages/core/queue/'],
  pg: ['packages/core/queue/'],
  ioredis: ['packages/core/queue/', 'packages/core/live/redis-live.ts'],
  openai: ['packages/core/llm/openai/'],
  '@anthropic-ai/sdk': ['packages/core/llm/anthropic/'],
  '@google/genai': ['packages/core/llm/gemini/'],
  '@modelcontextprotocol/client': ['packages/core/tools/mcp/'],
  '@modelcontextprotocol/server': ['examples/'],
  standardwebhooks: ['examples/'],
  ajv: ['packages/core/tools/'],
  'ajv-formats': ['packages/core/tools/'],
  undici: ['packages/core/outbound/', 'packages/core/patient-fetch.ts', 'packages/core/llm/model-fetch.ts'],
  'ipaddr.js': ['packages/core/outbound/'],
  hono: ['services/api/'],
  '@hono/node-server': ['services/api/'],
  '@hono/zod-openapi': ['services/api/'],
  pino: ['services/log.ts'],
  zod: ['packages/core/', 'services/', 'simulator/', 'examples/'],
};
