import { Misconfigured, RequestRefused } from '#core/failure.ts';
import { isBuiltInProvider, isSimulated, type Providers } from '#core/llm/providers.ts';
import type { Settings } from '../../../../process/settings.ts';

/** The operator's settings for model names, and for tools that Pawl does not support. */
export type ResponseSettings = {
  defaultProvider: string | null;
  modelAliases: Record<string, string>;
  unsupportedTools: 'refuse' | 'ignore';
};

/** Reads the settings of responses. Throws `Misconfigured` if they name a provider that is not configured. */
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

/**
 * Returns the model of a create request as `provider/model`: first by an alias of the operator, then by a name with a
 * provider, then by a name of the default provider.
 */
export function resolveModel(
  given: string,
  { providers, responses }: { providers: Providers; responses: ResponseSettings },
): string {
  const name = Object.hasOwn(responses.modelAliases, given) ? (responses.modelAliases[given] ?? given) : given;
  const slash = name.indexOf('/');
  const provider = slash > 0 && slash < name.length - 1 ? name.slice(0, slash) : '';
  if (providers.has(provider)) return name;
  // Model names of a default provider may begin with the name of a provider that is not configured here.
  if (isBuiltInProvider(provider) && responses.defaultProvider === null) return name;
  return `${responses.defaultProvider ?? onlyProvider(providers)}/${name}`;
}

function onlyProvider({ names }: Providers): string {
  const real = names.filter((name) => !isSimulated(name));
  if (real.includes('openai')) return 'openai';
  const [only = 'sim'] = real;
  if (real.length <= 1) return only;
  const message = `Several providers are configured (${real.join(', ')}). Name the model as provider/model, or ask the operator to set PAWL_DEFAULT_PROVIDER.`;
  throw new RequestRefused(400, 'model_not_found', message, 'model');
}
