import { createHarness } from '#test/harness/create-harness.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';

/** Opens providers that are packages, with the servers that they ask. */
export async function openPackages() {
  const mistral = await startWireServer();
  const bedrock = await startWireServer();
  const config = (module: string, exported: string, options: object) => ({
    ...{ kind: 'ai-sdk', module, export: exported, options: { apiKey: 'a-secret-of-mine', ...options } },
  });
  const providers = {
    mistral: config('@ai-sdk/mistral', 'createMistral', { baseURL: `${mistral.origin}/v1` }),
    before: config('ai-sdk-mistral-v3', 'createMistral', { baseURL: `${mistral.origin}/v1` }),
    bedrock: config('@ai-sdk/amazon-bedrock', 'createAmazonBedrock', { region: 'x', baseURL: bedrock.origin }),
  };
  const harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify(providers) } });
  return {
    ...{ harness, mistral, bedrock },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await mistral[Symbol.asyncDispose]();
      await bedrock[Symbol.asyncDispose]();
    },
  };
}

export function play(server: WireServer, first: (string | Uint8Array)[], ...more: (string | Uint8Array)[][]) {
  server.answer({ body: first });
  server.answerNext(...more.map((body) => ({ body })));
}
