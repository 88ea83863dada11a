import { test as base } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';
import { HOSTED_WIRES } from './hosted-wires.ts';

type Opened = AsyncDisposable & { harness: Harness; servers: Map<string, WireServer> };

async function openWires(): Promise<Opened> {
  const servers = new Map<string, WireServer>();
  for (const { provider, replies } of HOSTED_WIRES) servers.set(provider, await startWireServer(...replies));
  const providers = HOSTED_WIRES.map(({ provider, kind }) => {
    return [provider, { kind, base_url: servers.get(provider)?.origin, api_key: 'none' }];
  });
  const price = { input: 1, output: 10, cache_write: 1 };
  const PAWL_PRICES = JSON.stringify({ 'hosted-*': { ...price, hosted: { web_search: 0.01, code_execution: 0.002 } } });
  const harness = await createHarness({
    env: { PAWL_PROVIDERS: JSON.stringify(Object.fromEntries(providers)), PAWL_PRICES },
  });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    for (const server of servers.values()) await server[Symbol.asyncDispose]();
  };
  return { harness, servers, [Symbol.asyncDispose]: dispose };
}

/** A test that can use `wires`: a scripted provider for each wire with hosted tools, with prices. */
export const test = base.extend('wires', opening(openWires));
