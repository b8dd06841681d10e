import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { FIRST_FRAMES, noteLimit } from '../../lib/measured-response.js';
import { Instruments } from './instruments.js';
import { measureRequests } from './measure-requests.js';

it('counts requests by the template of their route, and times those that are no streams', async () => {
  const instruments = new Instruments();
  const app = express();
  app.use(measureRequests(instruments));
  app.get('/runs/:id', (_, response) => void response.send('ok'));
  app.get('/limited', (_, response) => {
    noteLimit(response, 'alerts');
    response.status(429).end();
  });
  app.get('/busy', (_, response) => void response.status(429).end());
  app.get('/closed', (_, response) => void response.status(401).end());
  app.get('/stream', (_, response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.end('data: x\n\n');
  });
  app.post('/trigger', (_, response) => {
    response.emit(FIRST_FRAMES);
    response.end();
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = async (path: string, method = 'GET', headers = {}) =>
    (await fetch(url + path, { method, headers })).text();
  await request('/runs/1');
  await request('/runs/2');
  await request('/stream');
  for (const path of ['/limited', '/busy', '/closed']) await request(path);
  await request('/closed', 'GET', { 'x-api-key': 'ck_1' });
  await request('/a/b/c', 'PUT');
  await request('/trigger', 'POST');
  server.close();
  await once(server, 'close');
  const text = await instruments.registry.metrics();
  for (const sample of [
    'consilium_http_requests_total{method="GET",route="/runs/:id",status="200"} 2',
    'consilium_http_requests_total{method="GET",route="/stream",status="200"} 1',
    'consilium_http_requests_total{method="PUT",route="none",status="404"} 1',
    'consilium_run_first_event_seconds_count{route="/trigger"} 1',
    'consilium_rate_limited_total{limit="alerts"} 1',
    'consilium_rate_limited_total{limit="other"} 1',
    'consilium_auth_failures_total{how="none",status="401"} 1',
    'consilium_auth_failures_total{how="key",status="401"} 1',
    'consilium_http_request_duration_seconds_count{method="GET",route="/runs/:id"} 2',
  ])
    expect(text).toContain(`${sample}\n`);
  expect(text).not.toContain('_count{method="GET",route="/stream"}');
});
