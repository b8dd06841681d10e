import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPrivateRedis, type PrivateRedis } from '../../../src/local/private-redis.js';
import { startCommandWith, type Command } from '../../support/processes/command.js';
import { ask } from '../../support/chat.js';
import { until } from '../../support/until.js';

const MANY = 30;

let redis: PrivateRedis;
let service: Command;
let url: URL;
beforeAll(async () => {
  redis = await startPrivateRedis();
  service = startCommandWith(
    { REDIS_URL: redis.url, PORT: '0', LOG_LEVEL: 'error', SHUTDOWN_GRACE_SECONDS: '0' },
    'src/main.ts',
  );
  const said = await service.printed(/listens on http:\S+,/);
  url = new URL(/listens on (\S+),/.exec(said)?.[1] ?? '');
});
afterAll(async () => {
  service.child.kill('SIGKILL');
  await redis.stop();
});

test('many requests on one connection, and many at once, cause no warning of Node', async () => {
  const trigger = `${url.origin}/api/service/v1/executions/trigger`;
  const body = { topologyId: 1, userMessage: 'Is it slow?', limits: { timeoutSeconds: 10 } };
  const text = JSON.stringify(body);
  const head = `POST /api/service/v1/executions/trigger HTTP/1.1\r\nHost: ${url.host}\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  const socket = connect(Number(url.port), url.hostname);
  let heard = '';
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString()));
  socket.write(`${head}${text}`.repeat(MANY));
  await until('all are answered', () => heard.split('HTTP/1.1 202').length === MANY + 1);
  socket.destroy();
  const { runId } = await ask(trigger, body);
  const events = `${url.origin}/api/service/v1/executions/${runId}/events`;
  const read = async () => (await fetch(events)).text();
  const logs = await Promise.all(Array.from({ length: MANY }, read));
  expect(new Set(logs).size).toBe(1);

  service.child.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Stopping …\n' });
});
