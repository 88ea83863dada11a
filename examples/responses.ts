// Kills Pawl's API, worker and database while the model writes a response, and starts them again.
//   npm ci
//   npx node examples/responses.ts
// The example starts its own Pawl on PORT (8090), with its data in a folder that is deleted at the end.
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

// The text and the speed of the simulated model (docs/simulator.md). A real model needs a key, and no script.
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
      console.log(`\n\n[the connection is lost, requesting the events after number ${followed.behind}]`);
      pawl = await startPawl();
    }
    if (followed.kind === 'anew') {
      console.log('[the model has begun its reply again, the received text is dropped]\n');
      joined = '';
    }
    if (followed.kind !== 'event' || followed.event.type !== 'response.output_text.delta') continue;
    process.stdout.write(followed.event.delta);
    joined += followed.event.delta;
    if (wasKilled || joined.length < STORY.length / 2) continue;
    wasKilled = true;
    await killPawl();
    console.log('\n\n[SIGKILL: API, worker and PostgreSQL are dead]');
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

/** Starts API, worker and database as `npm start` does, and waits until they are ready. */
async function startPawl(): Promise<ChildProcess> {
  const { PATH, HOME } = process.env; // No other variable, such as DATABASE_URL, may matter here.
  const started = spawn(process.execPath, ['services/standalone/main.ts'], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH, HOME, PORT, PAWL_DATA_DIR: data },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isReady())) {
    if (started.exitCode !== null) throw new Error('Pawl could not be started. See the lines above.');
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

/** Kills Pawl, as a power cut does. */
async function killPawl(): Promise<void> {
  if (pawl.exitCode !== null || pawl.signalCode !== null) return;
  pawl.kill('SIGKILL');
  await once(pawl, 'exit');
}
