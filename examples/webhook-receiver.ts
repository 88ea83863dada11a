// Receives a webhook when a background response has ended, with OpenAI's client. Start the receiver, allow Pawl to
// reach it, and create a response:
//   export OPENAI_BASE_URL=http://127.0.0.1:8080/openai/v1 OPENAI_API_KEY=any
//   OPENAI_WEBHOOK_SECRET=$(curl -s localhost:8080/v1/webhook_secret | grep -o 'whsec_[^"]*' | head -1) \
//     npx node examples/webhook-receiver.ts
//   PAWL_EGRESS_ALLOW=127.0.0.1:9200 npm start
//   curl -s localhost:8080/v1/responses -H 'content-type: application/json' -d '{ "model": "sim/demo",
//     "input": "Say hello to Ada.", "background": true,
//     "pawl": { "webhook": { "url": "http://127.0.0.1:9200/",
//       "events": ["response.completed", "response.failed"] } } }'
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';

const client = new OpenAI();

/** The ids of received events. Pawl may repeat an event, so save its id in the transaction of your data. */
const seen = new Set<string>();

createServer(async (request, answer) => {
  const event = await readEvent(request).catch((error: Error) => console.log(`refused: ${error.message}`));
  if (!event) return answer.writeHead(401).end('This receiver accepts signed requests from Pawl only.');
  answer.writeHead(204).end(); // within 15 seconds, so before the work
  if (seen.has(event.id)) return;
  seen.add(event.id);
  await handle(event).catch((error: Error) => console.log(`${event.type}: ${error.message}`));
}).listen(Number(process.env.PORT ?? 9200), '127.0.0.1', () => console.log('waiting for webhooks'));

/** Throws if the event is not signed with the secret, or is older than 5 minutes. */
async function readEvent(request: IncomingMessage) {
  return client.webhooks.unwrap(await text(request), request.headers as Record<string, string>);
}

async function handle(event: Awaited<ReturnType<typeof readEvent>>): Promise<void> {
  if (event.type !== 'response.completed') return console.log(event.type, event.data);
  const response = await client.responses.retrieve(event.data.id);
  console.log(`${response.id}: ${response.output_text}`);
}
