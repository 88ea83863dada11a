import { z } from 'zod';

const Secrets = z.object({ secrets: z.array(z.string()) });

/** The secrets that sign webhooks now. */
export async function readSecrets(apiUrl: string): Promise<string[]> {
  const response = await fetch(`${apiUrl}/v1/webhook_secret`);
  return Secrets.parse(await response.json()).secrets;
}
