import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchEventSource } from '@microsoft/fetch-event-source';
import { EventSource } from 'eventsource';
import { FORMATS, type Format } from '../../src/domain/formats/format.js';
import { encodeLog, framesOf } from '../support/encode.js';
import { heard, type Heard } from '../support/heard.js';
import { Scene } from '../support/scene.js';
import { healthy, httpTarget } from '../support/target.js';
import { topologyOf } from '../support/topology.js';
import type { Api } from '../support/api.js';

let scene: Scene;
let api: Api;
let runId: string;
let log: string[];
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  const stream = await (await api.trigger(await api.store(topologyOf({ web: await httpTarget(scene.targets, healthy) })))).end();
  ({ runId } = stream);
  log = framesOf(stream.text);
});
afterAll(() => scene.close());

const url = (format: Format) => api.at(`/executions/${runId}/events?format=${format}`);
const expected = (format: Format) => heard(encodeLog(format, log));
const namesIn = (format: Format) => [...new Set(expected(format).map(({ event }) => event))];

test.each(FORMATS)('EventSource reads %s', async (format) => {
  const got: Heard[] = [];
  const wanted = expected(format);
  await new Promise<void>((resolve, reject) => {
    const source = new EventSource(url(format));
    const hear = (message: Event) => {
      if (!('data' in message)) return reject(new Error('the stream was refused'));
      const { type: event, lastEventId: id, data } = message as unknown as { type: string; lastEventId: string; data: string };
      got.push({ event, id, data });
      if (got.length < wanted.length) return;
      source.close();
      resolve();
    };
    for (const name of namesIn(format)) source.addEventListener(name, hear);
  });
  expect(got).toEqual(wanted);
});

test.each(FORMATS)('@microsoft/fetch-event-source reads %s', async (format) => {
  // It is made for a page.
  const page = { hidden: false, addEventListener: () => undefined, removeEventListener: () => undefined };
  Object.assign(globalThis, { window: globalThis, document: page });
  const got: Heard[] = [];
  await fetchEventSource(url(format), {
    openWhenHidden: true,
    onmessage: ({ event, id, data }) => void (id !== '' && got.push({ event: event || 'message', id, data })),
  });
  expect(got).toEqual(expected(format));
});

test.each(FORMATS)('curl reads %s, in HTTP/1.1 and 1.0', async (format) => {
  for (const version of ['--http1.1', '--http1.0']) {
    const { stdout } = await promisify(execFile)('curl', ['-sSN', version, '-H', 'Accept: text/event-stream', url(format)]);
    expect(stdout).toBe(`retry: 3000\n\n${encodeLog(format, log)}`);
  }
});

test.each(FORMATS)('fetch and split reads %s', async (format) => {
  const response = await fetch(url(format), { headers: { accept: 'text/event-stream' } });
  let text = '';
  const got: string[] = [];
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const pieces = (text + chunk).split('\n\n');
    text = pieces.pop() ?? '';
    for (const piece of pieces) got.push(...piece.split('\n').filter((line) => line.startsWith('data: ')));
  }
  expect(text).toBe('');
  expect(got.map((line) => line.slice(6))).toEqual(expected(format).map(({ data }) => data));
});
