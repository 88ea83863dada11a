import type { BatchServer } from '#core/llm/batches/batch-server.ts';
import type { Capabilities, Provider } from '#core/llm/provider.ts';
import type { Providers } from '#core/llm/providers.ts';

/** A provider over one of its wires, with its batch API. */
type BatchProvider = { provider: Provider; batches: BatchServer };

/** Returns a provider over a wire, or null if it is not configured or has no batch API over this wire. */
export function batchProvider(
  { provider: name, wire }: { provider: string; wire: string },
  providers: Providers,
): BatchProvider | null {
  if (!providers.has(name)) return null;
  const provider = providers.find(name, wire === 'openai-responses' ? { [name]: wire } : undefined);
  const { batches, capabilities } = provider;
  return batches && capabilities.wire === wire ? { provider, batches } : null;
}

/** Returns an account for each provider and wire with a batch API. Requests are collected for these accounts. */
export function batchAccounts(providers: Providers) {
  const WIRES: readonly Capabilities['wire'][] = ['openai', 'openai-responses', 'anthropic', 'gemini'];
  return providers.names.flatMap((provider) =>
    WIRES.flatMap((wire) => {
      const { batches } = batchProvider({ provider, wire }, providers) ?? {};
      if (!batches) return [];
      const { account, keepsKey, limits } = batches;
      return [{ provider, wire, account, keepsKey, requests: limits.requests }];
    }),
  );
}
