import { expect, test } from 'vitest';
import { guardedConnector } from '#core/egress/open.ts';
import { egressTo, requestTo } from './egress.ts';
import { startReceiver } from './receiver.ts';

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])(
  'no request reaches loopback as %s unless loopback is allowed',
  async (host) => {
    await using recorder = await startReceiver((_request, response) => response.end());
    await using egress = egressTo('');

    const answer = egress.send(requestTo(`http://${host}:${recorder.port}/`));

    await expect(answer).rejects.toMatchObject({ kind: 'blocked', sent: false, code: 'egress_blocked' });
    expect(recorder.connections).toHaveLength(0);
  },
);

test('an entry for 127.0.0.1 does not allow localhost, an entry for its network does', async () => {
  await using receiver = await startReceiver((_request, response) => response.end('here'));
  await using byAddress = egressTo('127.0.0.1');
  await using byNetwork = egressTo('127.0.0.0/8,[::1]/128');
  await using byName = egressTo('localhost');
  const request = requestTo(`http://localhost:${receiver.port}/`);

  await expect(byAddress.send(request)).rejects.toMatchObject({ kind: 'blocked' });
  await expect(byNetwork.send(request)).resolves.toMatchObject({ body: 'here' });
  await expect(byName.send(request)).resolves.toMatchObject({ body: 'here' });
});

test('a name with a public and a private address is blocked', async () => {
  await using recorder = await startReceiver((_request, response) => response.end());
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ];
  await using egress = egressTo('127.0.0.0/8', async () => addresses);

  const answer = egress.send(requestTo(`http://mixed.test:${recorder.port}/`));

  await expect(answer).rejects.toMatchObject({ kind: 'blocked', sent: false });
  await expect(answer).rejects.not.toMatchObject({ message: expect.stringContaining('10.0.0.1') });
  expect(recorder.connections).toHaveLength(0);
});

test('a name that later resolves to a private address is blocked on that request', async () => {
  await using good = await startReceiver((_request, response) => response.setHeader('connection', 'close').end('good'));
  await using recorder = await startReceiver((_request, response) => response.end('private'), {
    host: '127.0.0.2',
    port: good.port,
  });
  const answers = ['127.0.0.1', '127.0.0.2'];
  const lookups: string[] = [];
  const lookup = async (hostname: string) => {
    lookups.push(hostname);
    return [{ address: answers.shift() ?? '127.0.0.2', family: 4 }];
  };
  await using egress = egressTo('127.0.0.1/32', lookup);
  const url = `http://rebinding.test:${good.port}/`;

  const first = await egress.send(requestTo(url));
  const second = egress.send(requestTo(url));

  expect(first.body).toBe('good');
  await expect(second).rejects.toMatchObject({ kind: 'blocked', sent: false });
  expect(lookups).toEqual(['rebinding.test', 'rebinding.test']);
  expect(recorder.connections).toHaveLength(0);
});

test('a name without addresses is blocked', async () => {
  await using egress = egressTo('', async () => []);

  const answer = egress.send(requestTo('http://empty.test/'));

  await expect(answer).rejects.toMatchObject({ kind: 'blocked', sent: false });
});

test('the port of an entry applies to names that resolve into its network', async () => {
  await using receiver = await startReceiver((_request, response) => response.end('here'));
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  await using rightPort = egressTo(`127.0.0.0/8:${receiver.port}`, lookup);
  await using otherPort = egressTo('127.0.0.0/8:1', lookup);
  const request = requestTo(`http://inside.test:${receiver.port}/`);

  await expect(rightPort.send(request)).resolves.toMatchObject({ body: 'here' });
  await expect(otherPort.send(request)).rejects.toMatchObject({ kind: 'blocked' });
});

test('the connector itself refuses a private address', async () => {
  await using recorder = await startReceiver((_request, response) => response.end());
  const connect = guardedConnector([], async () => []);
  const { promise: refusal, resolve } = Promise.withResolvers<unknown>();

  connect({ hostname: '127.0.0.1', protocol: 'http:', port: String(recorder.port) }, (...[error]) => resolve(error));

  expect(await refusal).toMatchObject({ kind: 'blocked', sent: false });
  expect(recorder.connections).toHaveLength(0);
});

test.each(['file:///etc/passwd', 'no URL', 'http://user:secret@example.com/'])(
  'a URL that cannot be submitted cannot be sent either: %s',
  async (url) => {
    await using egress = egressTo('', async () => []);

    const answer = egress.send(requestTo(url));

    await expect(answer).rejects.toMatchObject({ kind: 'blocked', message: expect.stringMatching(/URL/) });
  },
);
