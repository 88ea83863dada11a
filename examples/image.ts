// Sends a picture and shows its URL: npx node examples/image.ts [picture.png]
import { readFileSync } from 'node:fs';
import { connectPawl, partOf } from 'pawl/client';

const [path = 'docs/inspector.png'] = process.argv.slice(2);
const baseUrl = process.env.PAWL_URL ?? 'http://127.0.0.1:8080';
const pawl = connectPawl({ baseUrl, apiKey: process.env.PAWL_API_KEY });

const picture = partOf(readFileSync(path), { mediaType: 'image/png' });
const turn = await pawl.turns.start({
  model: 'sim/demo',
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'What do you see?' }, picture] }],
});

const { status, output, input } = await turn.result();
console.log(`[${status}] ${output}`);
// Pawl stores equal bytes once, and replaces them in the input by their path.
for (const { content } of input) {
  for (const part of Array.isArray(content) ? content : []) {
    if (part.type === 'input_image') console.log(`the picture: ${new URL(part.image_url, baseUrl)}`);
  }
}
