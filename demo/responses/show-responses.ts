import { styleText } from 'node:util';
import OpenAI from 'openai';
import type { Screen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import type { DemoRun } from '../run-to-end.ts';
import { startPawl } from '../start-pawl.ts';
import { brokenPromises, type Read, readResponse } from './read-response.ts';
import { ANSWER, STORY } from './story.ts';

/** A response that OpenAI's client reads while all of Pawl is killed, and then its API once more. */
export async function showResponses(screen: Screen, run: DemoRun): Promise<void> {
  const pawl = await startPawl(screen, run);
  const client = new OpenAI({ baseURL: `${pawl.url}/v1`, apiKey: 'none' });
  const { id, status } = await create(client, screen);
  screen.say(`200 OK · ${id} is ${status}`);
  const read = await readResponse({ client, id, pawl }, screen, run);

  const response = await client.responses.retrieve(id);
  showRead(read, response, screen);
  const modelCalls = pawl.steps.all().length;
  screen.add(`${'model calls'.padEnd(NAME_WIDTH)}${modelCalls}   one needed; its worker was killed in the first`);

  const broken = brokenPromises(read, { response, modelCalls });
  if (broken.length > 0) throw new Failure('not_as_promised', broken.join('\n  '));
  screen.gap();
  screen.say(styleText('green', 'All as promised. Now everything that was started goes again.'));
}

function create(client: OpenAI, screen: Screen): Promise<OpenAI.Responses.Response> {
  screen.gap();
  screen.say(`${styleText('bold', 'the request')} · what the model does is scripted in its input`);
  screen.add(`const client = new OpenAI({ baseURL: '${client.baseURL}' });`);
  screen.add("client.responses.create({ model: 'sim-responses/story', input, background: true })");
  return client.responses.create({ model: 'sim-responses/story', input: STORY, background: true });
}

const NAME_WIDTH = 17;

function showRead(read: Read, response: OpenAI.Responses.Response, screen: Screen): void {
  const rows: [string, string][] = [
    ['text in deltas', `${read.text.length} characters, of ${ANSWER.length} that the model was told to say`],
    ['text as stored', `${response.output_text.length} characters`],
    ['connections', `${read.connections}: two broke off`],
    ['numbers', `${read.isOrdered ? 'each above the one before, none twice' : 'out of order'}`],
  ];
  screen.title('What came, and what is stored');
  for (const [name, value] of rows) screen.add(name.padEnd(NAME_WIDTH) + value);
}
