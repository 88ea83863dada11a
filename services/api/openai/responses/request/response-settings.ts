import { Misconfigured } from '#core/failure.ts';
import type { Providers } from '#core/llm/providers.ts';
import type { Settings } from '../../../../process/settings.ts';

/** What the operator has set for names of models and for tools that Pawl does not have. */
export type ResponseSettings = {
  defaultProvider: string | null;
  modelAliases: Record<string, string>;
  unsupportedTools: 'refuse' | 'ignore';
};

/** What the settings say about responses. A provider that they name and that is not configured is a `Misconfigured`. */
export function responseSettings(settings: Settings, { has, names }: Providers): ResponseSettings {
  const { PAWL_DEFAULT_PROVIDER: defaultProvider = null, PAWL_MODEL_ALIASES: modelAliases } = settings;
  const named = [
    ...(defaultProvider === null ? [] : [{ variable: 'PAWL_DEFAULT_PROVIDER', provider: defaultProvider }]),
    ...Object.entries(modelAliases).map(([alias, model]) => ({
      variable: `PAWL_MODEL_ALIASES.${alias}`,
      provider: model.slice(0, model.indexOf('/')),
    })),
  ];
  const missing = named.find(({ provider }) => !has(provider));
  if (missing) {
    const { variable, provider } = missing;
    throw new Misconfigured(`${variable}: ${provider} is not configured. Use one of: ${names.join(', ')}.`);
  }
  return { defaultProvider, modelAliases, unsupportedTools: settings.PAWL_UNSUPPORTED_TOOLS };
}
