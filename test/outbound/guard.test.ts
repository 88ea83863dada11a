import { expect, test } from 'vitest';
import { guardedConnector } from '#core/outbound/guarded-connector.ts';
import { gateTo, requestTo } from './gate.ts';
import { startReceiver } from './receiver.ts';

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])(
  'nothing reaches loopback as %s unless it is allowed',
  async (host) => {
    await using witness = await startReceiver((_request, response) => response.end());
    await using gate = gateTo('');

    const answer = gate.send(requestTo(`http://${host}:${witness.port}/`));

    await expect(answer).rejects.toMatchObject({ kind: 'blocked', sent: false, code: 'egress_blocked' });
    expect(witness.connections).toHaveLength(0);
  },
);

test('allowing 127.0.0.1 does not allow localhost, allowing its network does', async () => {
  await using receiver = await startReceiver((_request, response) => response.end('here'));
  await using byAddress = gateTo('127.0.0.1');
  await using byNetwork = gateTo('127.0.0.0/8,[::1]/128');
  await using byName = gateTo('localhost');
  const request = requestTo(`http://localhost:${receiver.port}/`);

  await expect(byAddress.send(request)).rejects.toMatchObject({ kind: 'blocked' });
  await expect(byNetwork.send(request)).resolves.toMatchObject({ body: 'here' });
  await expect(byName.send(request)).resolves.toMatchObject({ body: 'here' });
});

test('a name with one good and one private address is blocked', async () => {
  await using witness = await startReceiver((_request, response) => response.end());
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ];
  await using gate = gateTo('127.0.0.0/8', async () => addresses);

  const answer = gate.send(requestTo(`http://mixed.test:${witness.port}/`));

  await expect(answer).rejects.toMatchObject({ kind: 'blocked', sent: false });
  await expect(answer).rejects.not.toMatchObject({ message: expect.stringContaining('10.0.0.1') });
  expect(witness.connections).toHaveLength(0);
});

test('a name that answers good at first and private after is reached only where it was checked', async () => {
  await using good = await startReceiver((_request, response) => response.setHeader('connection', 'close').end('good'));
  await using witness = await startReceiver((_request, response) => response.end('private'), {
    host: '127.0.0.2',
    port: good.port,
  });
  const answers = ['127.0.0.1', '127.0.0.2'];
  const asked: string[] = [];
  const lookup = async (hostname: string) => {
    asked.push(hostname);
    return [{ address: answers.shift() ?? '127.0.0.2', family: 4 }];
  };
  await using gate = gateTo('127.0.0.1/32', lookup);
  const url = `http://rebinding.test:${good.port}/`;

  const first = await gate.send(requestTo(url));
  const second = gate.send(requestTo(url));

  expect(first.body).toBe('good');
  await expect(second).rejects.toMatchObject({ kind: 'blocked', sent: false });
  expect(asked).toEqual(['rebinding.test', 'rebinding.test']);
  expect(witness.connections).toHaveLength(0);
});

test('a name without addresses is blocked', async () => {
  await using gate = gateTo('', async () => []);

  const answer = gate.send(requestTo('http://empty.test/'));

  await expect(answer).rejects.toMatchObject({ kind: 'blocked', sent: false });
});

test('the port of an entry holds for names that resolve into its network', async () => {
  await using receiver = await startReceiver((_request, response) => response.end('here'));
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  await using rightPort = gateTo(`127.0.0.0/8:${receiver.port}`, lookup);
  await using otherPort = gateTo('127.0.0.0/8:1', lookup);
  const request = requestTo(`http://inside.test:${receiver.port}/`);

  await expect(rightPort.send(request)).resolves.toMatchObject({ body: 'here' });
  await expect(otherPort.send(request)).rejects.toMatchObject({ kind: 'blocked' });
});

test('the connector itself refuses a private address, whoever asks it', async () => {
  await using witness = await startReceiver((_request, response) => response.end());
  const connect = guardedConnector([], async () => []);
  const { promise: refusal, resolve } = Promise.withResolvers<unknown>();

  connect({ hostname: '127.0.0.1', protocol: 'http:', port: String(witness.port) }, (...[error]) => resolve(error));

  expect(await refusal).toMatchObject({ kind: 'blocked', sent: false });
  expect(witness.connections).toHaveLength(0);
});

test.each(['file:///etc/passwd', 'no URL', 'http://user:secret@example.com/'])(
  'what could not be submitted cannot be sent either: %s',
  async (url) => {
    await using gate = gateTo('', async () => []);

    const answer = gate.send(requestTo(url));

    await expect(answer).rejects.toMatchObject({ kind: 'blocked', message: expect.stringMatching(/URL/) });
  },
);
