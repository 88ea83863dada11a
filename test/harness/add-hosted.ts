import type { Provider } from '#core/llm/provider.ts';
import type { Hosted } from '#core/turn/hosted/hosted.ts';
import type { Harness } from './create-harness.ts';

/** Adds calls of hosted tools, citations and images to the replies of the model, as a provider with such tools does. */
export function addHosted({ worker }: Pick<Harness, 'worker'>, hosted: Partial<Hosted>): void {
  const { providers } = worker;
  const added = { calls: [], annotations: [], images: [], ...hosted };
  const withHosted = (provider: Provider): Provider => ({
    ...provider,
    ask: async (...asked) => ({ ...(await provider.ask(...asked)), hosted: added }),
  });
  worker.providers = { ...providers, ofModel: (model, wires) => withHosted(providers.ofModel(model, wires)) };
}
