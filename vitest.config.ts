import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type InlineConfig, type TestSpecification } from 'vitest/node';

/** Tests without a database, which need files, sockets and the CPU. */
const UNIT = [
  'test/*.test.ts',
  'test/{arrows,bounds,build,chaos,ci,deploy,docs,egress,harness,json-schema,llm,model,schedule,simulator}/**/*.test.ts',
  'test/{tools,turn,webhooks}/**/*.test.ts',
  'test/crash/{sample,share}-points.test.ts',
  'test/operations/{kubernetes,kubernetes-stores,monitoring,systemd}.test.ts',
];

/** Tests that start a process, a browser, a foreign client or their own store, and tests that wait for a timeout. */
const E2E = [
  'test/{demo,e2e,embedded-postgres,inspector,packages,standalone}/**/*.test.ts',
  'test/api/{http/keys,pages/docs-page,stream/watching-guide}.test.ts',
  'test/api/openai/responses/clients/*.test.ts',
  'test/cli/{agents,batches,forks,model-options,pawl,prompt-cache,schedules,service-tier}.test.ts',
  'test/client/usage-and-bulk.test.ts',
  'test/counters/*.test.ts',
  'test/crash/some-points.test.ts',
  'test/llm/hostile/*.test.ts',
  'test/operations/{restore,reported-metrics}.test.ts',
  'test/postgres/connect.test.ts',
  'test/process/{availability,env-file,locked-table,log,log-writes,other-schema,reload-projects}.test.ts',
  'test/process/{settings,start-and-log,start-with-packages}.test.ts',
  'test/pubsub/{several-redis,wakes}.test.ts',
  'test/queue/{database-away,many-providers,require-redis,several-redis,waiting}.test.ts',
  'test/tools/load-tools.test.ts',
  'test/tools/mcp/{call-once,hostile-command,local-server,odd-messages}.test.ts',
  'test/webhooks/difficult-receivers.test.ts',
  'test/worker/{secrets,deliveries/webhook-order,provider-limits/unlimited-turns}.test.ts',
];

/** Tests with their own commands: `npm run restarts`, `npm run crash`. */
const LATER = ['**/node_modules/**', '**/restarts/**', 'test/crash/matrix/**'];

/** Files that take long for their size, the longest first. */
const LONG = [
  'test/demo/demo.test.ts',
  'test/queue/waiting.test.ts',
  'test/queue/many-providers.test.ts',
  'test/demo/examples.test.ts',
  'test/cli/pawl.test.ts',
  'test/standalone/main.test.ts',
  'test/api/pages/docs-page.test.ts',
  'test/inspector/list.test.ts',
  'test/inspector/turn-words.test.ts',
  'test/webhooks/difficult-receivers.test.ts',
  'test/model/suites.test.ts',
  'test/llm/valid-history.test.ts',
  'test/tools/mcp/call-once.test.ts',
  'test/worker/deliveries/fair-deliveries.test.ts',
  'test/api/ui-stream/live-message.test.ts',
  'test/api/openapi/answers.test.ts',
];

/**
 * Starts long files first, so that no long file runs alone at the end. Vitest orders files by their last duration,
 * which a new checkout does not have, or else by their size.
 */
class OrderedFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((path) => moduleId.endsWith(path));
  return rank < 0 ? LONG.length : rank;
}

/** The setup files that each run with stores starts once. */
export const stores = ['parts/build-pages', 'parts/start-compile-cache', 'stores/start-stores'].map(
  (name) => `test/harness/${name}.ts`,
);
// Foreign clients must not report to their vendors.
const env = { MASTRA_TELEMETRY_DISABLED: '1', LANGSMITH_TRACING: 'false', OPENAI_AGENTS_DISABLE_TRACING: '1' };

/** The settings of every project, and of the configurations with their own commands. */
export const shared = {
  setupFiles: ['test/harness/parts/fix-seed.ts'],
  // Stops a test that hangs. Even a busy machine must not reach these limits.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  // A failure that is rare needs a full report.
  chaiConfig: { truncateThreshold: 2_000 },
  expect: { poll: { timeout: 30_000 } },
  pool: 'forks',
  // Files share their imports, since loading them for each file takes a quarter of the CPU.
  isolate: false,
  // More than the cores, since most tests wait most of the time.
  maxWorkers: 3,
} satisfies InlineConfig;

/** The projects of `npm test` (`unit`, `integration`) and `npm run e2e`. An unlisted file is an integration test. */
export const projects: TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: 'unit', include: UNIT, exclude: [...LATER, ...E2E] } },
  {
    extends: true,
    test: {
      name: 'integration',
      include: ['test/**/*.test.ts'],
      exclude: [...LATER, ...UNIT, ...E2E],
      globalSetup: stores,
    },
  },
  { extends: true, test: { name: 'e2e', include: E2E, exclude: LATER, globalSetup: stores, env } },
];

export default defineConfig({ test: { ...shared, projects, sequence: { sequencer: OrderedFiles } } });
