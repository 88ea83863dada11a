import { z } from 'zod';

const Secrets = z.object({ secrets: z.array(z.string()) });

export async function readSecrets(apiUrl: string): Promise<string[]> {
  const response = await fetch(`${apiUrl}/v1/webhook_secret`);
  return Secrets.parse(await response.json()).secrets;
}
