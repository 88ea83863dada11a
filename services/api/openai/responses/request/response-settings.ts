import { Misconfigured, RequestRefused } from '#core/failure.ts';
import { isBuiltInProvider, isSimulated, type Providers } from '#core/llm/providers.ts';
import type { Settings } from '../../../../process/settings.ts';

/** The operator's settings for names of models and for tools that Pawl does not have. */
export type ResponseSettings = {
  defaultProvider: string | null;
  modelAliases: Record<string, string>;
  unsupportedTools: 'refuse' | 'ignore';
};

/** The settings of responses. A provider that they name and that is not configured is a `Misconfigured`. */
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
 * The model behind the name in a create request, as `provider/model` (contract-responses R10): an alias of the operator's
 * first, then a name that begins with a provider, then one of the default provider's.
 */
export function resolveModel(
  given: string,
  { providers, responses }: { providers: Providers; responses: ResponseSettings },
): string {
  const name = Object.hasOwn(responses.modelAliases, given) ? (responses.modelAliases[given] ?? given) : given;
  const slash = name.indexOf('/');
  const provider = slash > 0 && slash < name.length - 1 ? name.slice(0, slash) : '';
  if (providers.has(provider)) return name;
  // A default provider may have models whose names begin like those of a provider that is not configured here.
  if (isBuiltInProvider(provider) && responses.defaultProvider === null) return name;
  return `${responses.defaultProvider ?? onlyProvider(providers)}/${name}`;
}

function onlyProvider({ names }: Providers): string {
  const real = names.filter((name) => !isSimulated(name));
  if (real.includes('openai')) return 'openai';
  const [only = 'sim'] = real;
  if (real.length <= 1) return only;
  const message =
    `Several providers are configured (${real.join(', ')}): name the model as provider/model, ` +
    'or ask the operator to set PAWL_DEFAULT_PROVIDER.';
  throw new RequestRefused(400, 'model_not_found', message, 'model');
}
