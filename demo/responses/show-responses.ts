import { styleText } from 'node:util';
import OpenAI from 'openai';
import type { Screen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import type { DemoRun } from '../run-to-end.ts';
import { startPawl } from '../start-pawl.ts';
import { brokenPromises, type Read, readResponse } from './read-response.ts';
import { ANSWER, STORY } from './story.ts';

/** Shows a response that OpenAI's client reads while all of Pawl is killed, and then its API once more. */
export async function showResponses(screen: Screen, run: DemoRun): Promise<void> {
  const pawl = await startPawl(screen, run);
  const client = new OpenAI({ baseURL: `${pawl.url}/v1`, apiKey: 'none' });
  const { id, status } = await create(client, screen);
  screen.say(`200 OK · ${id} is ${status}`);
  const read = await readResponse({ client, id, pawl }, screen, run);

  const response = await client.responses.retrieve(id);
  showRead(read, response, screen);
  const modelCalls = pawl.steps.all().length;
  screen.add(`${'model calls'.padEnd(NAME_WIDTH)}${modelCalls}   1 needed, 1 repeated: its worker was killed`);

  const broken = brokenPromises(read, { response, modelCalls });
  if (broken.length > 0) throw new Failure('not_as_promised', broken.join('\n  '));
  screen.gap();
  screen.say(styleText('green', 'All as promised. The demo now stops everything that it started.'));
}

function create(client: OpenAI, screen: Screen): Promise<OpenAI.Responses.Response> {
  screen.gap();
  screen.say(`${styleText('bold', 'the request')} · its input scripts the model`);
  screen.add(`const client = new OpenAI({ baseURL: '${client.baseURL}' });`);
  screen.add("client.responses.create({ model: 'sim-responses/story', input, background: true })");
  return client.responses.create({ model: 'sim-responses/story', input: STORY, background: true });
}

const NAME_WIDTH = 17;

function showRead(read: Read, response: OpenAI.Responses.Response, screen: Screen): void {
  const rows: [string, string][] = [
    ['text in deltas', `${read.text.length} characters, of ${ANSWER.length} in the script of the model`],
    ['text as stored', `${response.output_text.length} characters`],
    ['connections', `${read.connections}: two were lost`],
    ['numbers', `${read.isOrdered ? 'in order, none twice' : 'out of order'}`],
  ];
  screen.title('The received and the stored response');
  for (const [name, value] of rows) screen.add(name.padEnd(NAME_WIDTH) + value);
}
