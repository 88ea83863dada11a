/**
 * Every package the product imports, and where: a folder or one file. What two rooms need has two owners; what is not
 * here enters this table before it enters code. Tests, benchmarks and the demo may import what they like.
 */
export const owners: Record<string, string[]> = {
  kysely: ['packages/core/postgres/', 'packages/core/checkpoint/'],
  postgres: ['packages/core/postgres/', 'packages/core/pubsub/postgres.ts', 'packages/embedded-postgres/'],
  bullmq: ['packages/core/queue/'],
  pg: ['packages/core/queue/postgres/'],
  ioredis: ['packages/core/queue/redis/', 'packages/core/redis-connection.ts'],
  'eventsource-parser': ['packages/core/llm/http/'],
  // Types of request bodies, which are gone before the product runs; and the client, in examples.
  openai: [
    ...['render-request', 'render-parts', 'order-roles'].map((what) => `packages/core/llm/openai/${what}.ts`),
    ...['request', 'parts'].map((what) => `packages/core/llm/openai-responses/render-${what}.ts`),
    'examples/',
  ],
  '@ai-sdk/provider': ['packages/core/llm/ai-sdk/'],
  '@openai/agents': ['examples/'],
  '@google/genai': ['request', 'contents', 'parts'].map((what) => `packages/core/llm/gemini/render-${what}.ts`),
  '@modelcontextprotocol/client': ['packages/core/tools/mcp/'],
  'cross-spawn': ['packages/core/tools/mcp/'],
  '@modelcontextprotocol/server': ['examples/'],
  standardwebhooks: ['examples/'],
  rolldown: ['examples/'],
  croner: ['packages/core/schedule/next-time.ts'],
  ajv: ['packages/core/tools/'],
  'ajv-formats': ['packages/core/tools/'],
  'lru-cache': [
    'packages/core/llm/refusals/remember-forms.ts',
    'packages/core/llm/wire-tools/',
    'packages/core/tools/arguments/',
    'services/worker/turn-cache.ts',
    'services/worker/round/blob-cache.ts',
  ],
  undici: ['packages/core/proxy.ts', 'packages/core/egress/', 'packages/core/llm/http/'],
  'ipaddr.js': ['packages/core/proxy.ts', 'packages/core/egress/'],
  hono: ['services/api/'],
  '@hono/node-server': ['services/api/'],
  '@hono/zod-openapi': ['services/api/'],
  pino: ['services/process/log.ts'],
  '@opentelemetry/api': ['services/process/trace/export-spans.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['services/process/trace/export-spans.ts'],
  '@opentelemetry/exporter-trace-otlp-proto': ['services/process/trace/export-spans.ts'],
  '@opentelemetry/resources': ['services/process/trace/export-spans.ts'],
  '@opentelemetry/sdk-trace': ['services/process/trace/export-spans.ts'],
  'prom-client': ['services/process/metrics/'],
  zod: ['packages/core/', 'packages/simulator/', 'services/', 'examples/'],
};
