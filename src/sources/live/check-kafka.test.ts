import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { healthyKafka } from '../../../test/support/programs/healthy-kafka.js';
import { closedPort, Loopback } from '../../../test/support/loopback.js';
import { type KafkaScript, scriptedKafka } from '../../../test/support/sources/scripted-kafka.js';
import { startReplay } from '../../../test/support/sources/source-replay.js';
import { checkSource } from './check-source.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const SECRET = 'correct-horse-battery';
const HIDDEN = 'A diagnosis reports this at the nodes that select from it.';

const check = (endpoint: string, mechanism: 'PLAIN' | 'SCRAM-SHA-512' = 'SCRAM-SHA-512') =>
  checkSource(
    {
      id: 'bus',
      kind: 'kafka',
      endpoint,
      auth: { user: 'monitor', password: '${env:KAFKA_PASSWORD}', mechanism },
    },
    { egress: anyEgress, secretOf: () => SECRET },
    new AbortController().signal,
  );
async function checkOf(more: Partial<KafkaScript>, password = SECRET) {
  const user = { name: 'monitor', password, mechanism: 'SCRAM-SHA-512' };
  const { ports } = await scriptedKafka(loopback, { ...healthyKafka(), user, ...more }, 1);
  return check(`kafka://127.0.0.1:${ports[0]}`);
}

test('a user that may see topics', async () => {
  const state = await checkOf({});
  expect(state).toMatchObject({ id: 'bus', kind: 'kafka', state: 'ok', detail: '' });
});

test('a user that sees no topic, and what that may mean', async () => {
  const detail = 'No topic is shown: there is none, or the user may describe none.';
  expect(await checkOf({ topics: {} })).toMatchObject({ state: 'ok', detail });
});

test('a credential that is refused, without the credential', async () => {
  const { state, detail } = await checkOf({}, 'another');
  expect([state, detail]).toEqual([
    'refused',
    expect.stringContaining('it does not accept the credential'),
  ]);
  expect(detail).not.toContain(SECRET);
});

test('a password that PLAIN would send in clear is not sent', async () => {
  const { ports } = await scriptedKafka(loopback, healthyKafka(), 1);
  expect(await check(`kafka://127.0.0.1:${ports[0]}`, 'PLAIN')).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('set tls, or use SCRAM') as unknown,
  });
});

test('the next broker is asked if the first does not answer', async () => {
  const user = { name: 'monitor', password: SECRET, mechanism: 'SCRAM-SHA-512' };
  const { ports } = await scriptedKafka(loopback, { ...healthyKafka(), user }, 1);
  const endpoint = `kafka://127.0.0.1:${await closedPort()},127.0.0.1:${ports[0]}`;
  expect(await check(endpoint)).toMatchObject({ state: 'ok' });
});

test('a broker that does not answer, and what that hides', async () => {
  const state = await check(`kafka://127.0.0.1:${await closedPort()}`);
  expect(state).toMatchObject({
    state: 'unreachable',
    detail: expect.stringContaining(HIDDEN) as unknown,
  });
});

test('what is no Kafka', async () => {
  const replay = await startReplay(() => ({ status: 'UP' }));
  const state = await check(replay.url.replace('http:', 'kafka:'));
  await replay.close();
  expect(state).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('does not use the Kafka protocol') as unknown,
  });
});
