/** A small client: starts a turn, shows its text as it streams, resumes when the connection drops. */
const base = process.env.PAWL_URL ?? 'http://127.0.0.1:8080';
const headers = { 'content-type': 'application/json', authorization: `Bearer ${process.env.PAWL_KEY ?? ''}` };

type Turn = { id: string; status: string; output: string | null; error: { message: string } | null };
const body = JSON.stringify({ model: 'sim/demo', input: process.argv[2] ?? 'Say hello to Ada.' });
const turn = (await (await fetch(`${base}/v1/turns`, { method: 'POST', headers, body })).json()) as Turn;
let lastEventId = '0';

/** Follows the turn until it ends (true) or the connection does (false). */
async function watch(): Promise<boolean> {
  const watching = { ...headers, accept: 'text/event-stream', 'last-event-id': lastEventId };
  const response = await fetch(`${base}/v1/turns/${turn.id}/events`, { headers: watching });
  if (response.status === 204 || !response.body) return true;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    if (blocks.some(show)) return true;
  }
  return false;
}

/** Shows what one event brings; true for the event that ends the turn. */
function show(block: string): boolean {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
  if (fields.id) lastEventId = fields.id;
  if (fields.event === 'output_text.delta') process.stdout.write(JSON.parse(fields.data).delta);
  return /^turn\.(completed|incomplete|failed|cancelled)$/.test(fields.event ?? '');
}

while (!(await watch().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 1000));
const ended = (await (await fetch(`${base}/v1/turns/${turn.id}`, { headers })).json()) as Turn;
console.log(`\n[${ended.status}] ${ended.output ?? ended.error?.message ?? ''}`);
