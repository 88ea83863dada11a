// A tool on your own HTTP server. Start it, allow Pawl to reach it, and name its URL in a turn:
//   WEBHOOK_SECRET=$(curl -s localhost:8080/v1/webhook_secret | grep -o 'whsec_[^"]*' | head -1) \
//     npx node examples/http-tool.ts
//   PAWL_EGRESS_ALLOW=127.0.0.1:9100 npm start
//   curl -s localhost:8080/v1/turns -H 'content-type: application/json' -d '{ "model": "sim/demo",
//     "input": "Pay it.", "tools": [{
//       "name": "pay_invoice", "description": "Pays an invoice, once", "effect": "idempotent", "parameters": {
//         "type": "object", "properties": { "invoice": { "type": "string" } }, "required": ["invoice"] },
//       "execution": { "kind": "http", "url": "http://127.0.0.1:9100/" } }] }'
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');

/** Receipts by the key of the call, so that a repeated request gets the first answer. */
const paid = new Map<string, object>();

createServer(async (request, response) => {
  const body = await text(request);
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    return response.writeHead(401).end('This tool accepts signed requests from Pawl only.');
  }
  const key = String(request.headers['idempotency-key']);
  const receipt = paid.get(key) ?? { receipt: `R-${paid.size + 1}`, ...JSON.parse(body) };
  paid.set(key, receipt);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(receipt));
}).listen(9100, '127.0.0.1', () => console.log('pay_invoice listens on http://127.0.0.1:9100/'));
