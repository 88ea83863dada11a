// A response outlives Pawl: its API, its worker and its database are killed while the model is writing, and started again.
//   npm ci
//   npx node examples/responses.ts
// It starts a Pawl of its own, on PORT (8090), with its data in a folder that goes at the end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import OpenAI from 'openai';
import { followResponse } from './follow-response.ts';

const PORT = process.env.PORT ?? '8090';
const URL_OF_PAWL = `http://127.0.0.1:${PORT}`;
const STORY = `A pawl is the tooth of a ratchet. The wheel turns, the tooth falls behind each of its teeth, and what has been
won is kept: the load may pull as it likes, the wheel never slips back by more than the tooth that was not yet reached.`;

// What the simulated model says, and how slowly (docs/simulator.md). A real one needs a key, and says what it likes.
const input = JSON.stringify({ sim: { answer: STORY, pace_ms: 40, piece_chars: 4 } });

const data = mkdtempSync(join(tmpdir(), 'pawl-responses-'));
let pawl = await startPawl();
try {
  const client = new OpenAI({ baseURL: `${URL_OF_PAWL}/v1`, apiKey: 'none' });
  const { id, status } = await client.responses.create({ model: 'sim/story', input, background: true });
  console.log(`${id} is ${status}, and committed\n`);

  let joined = '';
  let wasKilled = false;
  for await (const followed of followResponse(client, id)) {
    if (followed.kind === 'lost') {
      console.log(`\n\n[the connection is lost; asking for what follows number ${followed.behind}]`);
      pawl = await startPawl();
    }
    if (followed.kind === 'anew') {
      console.log('[the model has begun its reply again; what came of it is dropped]\n');
      joined = '';
    }
    if (followed.kind !== 'event' || followed.event.type !== 'response.output_text.delta') continue;
    process.stdout.write(followed.event.delta);
    joined += followed.event.delta;
    if (wasKilled || joined.length < STORY.length / 2) continue;
    wasKilled = true;
    await killPawl();
    console.log('\n\n[SIGKILL: API, worker and PostgreSQL are gone]');
  }

  const stored = await client.responses.retrieve(id);
  const isSame = joined === stored.output_text && joined === STORY;
  console.log(`\n\n[${stored.status}] ${joined.length} characters in deltas, ${stored.output_text.length} stored`);
  console.log(isSame ? 'They are the same.' : 'They differ: that is a bug.');
  process.exitCode = isSame && wasKilled ? 0 : 1;
} finally {
  await killPawl();
  rmSync(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Starts API, worker and database as `npm start` does, and waits until they work. */
async function startPawl(): Promise<ChildProcess> {
  const { PATH, HOME } = process.env; // Nothing else of the surroundings counts here, such as a DATABASE_URL.
  const started = spawn(process.execPath, ['services/standalone/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH, HOME, PORT, PAWL_DATA_DIR: data },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isReady())) {
    if (started.exitCode !== null) throw new Error('Pawl could not be started: the lines above say why.');
    await wait(100);
  }
  return started;
}

async function isReady(): Promise<boolean> {
  return fetch(`${URL_OF_PAWL}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Ends it as a power cut would. */
async function killPawl(): Promise<void> {
  if (pawl.exitCode !== null || pawl.signalCode !== null) return;
  pawl.kill('SIGKILL');
  await once(pawl, 'exit');
}
