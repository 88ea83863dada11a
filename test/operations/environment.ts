import { unknownVariables } from '#services/process/settings/unknown-variables.ts';
import { readSettings } from '#services/process/settings.ts';

/** Variables that libraries read, not Pawl. */
const OF_LIBRARIES = /^(?:OTEL_[A-Z_]+|NODE_[A-Z_]+)$/;

/** Variables without the prefix: the table of the settings, and the keys and addresses of providers. */
const WITHOUT_PREFIX = /^(?:HOST|PORT|DATABASE_URL|DATABASE_DIRECT_URL|REDIS_URL|[A-Z]+_(?:API_KEY|BASE_URL))$/;

/** Returns the mistakes in the environment of an example: variables that no part reads, values that are refused. */
export function mistakesOf(environment: Record<string, string>): string[] {
  const strays = Object.keys(environment).filter(
    (name) => !name.startsWith('PAWL_') && !WITHOUT_PREFIX.test(name) && !OF_LIBRARIES.test(name),
  );
  const settings = readSettings(environment);
  return [...strays.map((name) => `${name} is not a variable of Pawl`), ...unknownVariables(settings)];
}
