import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetchEventSource } from '@microsoft/fetch-event-source';
import { EventSource } from 'eventsource';
import { EVENT_NAMES } from '../../../src/domain/events/event.js';
import { FORMATS, formatOf, type Format } from '../../../src/formats/registry.js';
import { ask } from '../../support/chat.js';
import { encodeLog, framesOf } from '../../support/streams/encode.js';
import { heard, type Heard } from '../../support/streams/heard.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { TcpProxy } from '../../support/processes/tcp-proxy.js';
import { topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

const KINDS = ['a diagnosis', 'a chat turn'] as const;
const NAMES = ['message', ...EVENT_NAMES, ...Object.keys(formatOf('chat').frames)];

let scene: Scene;
let api: Api;
let proxy: TcpProxy;
let runs: Record<(typeof KINDS)[number], { runId: string; log: string[] }>;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ ALLOWED_HOSTS: '127.0.0.1' });
  proxy = await TcpProxy.to(api.url);
  const stream = await (
    await api.trigger(
      await api.store(topologyOf({ web: await httpTarget(scene.targets, healthy) })),
    )
  ).end();
  const { runId } = await ask(`${api.url}/chat/stream`, { message: 'List the topologies' });
  runs = {
    'a diagnosis': { runId: stream.runId, log: framesOf(stream.text) },
    'a chat turn': { runId, log: framesOf(await api.log(runId)) },
  };
  // What is made for a page wants one.
  const page = {
    hidden: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  Object.assign(globalThis, { window: globalThis, document: page });
});
afterAll(async () => {
  await proxy.close();
  await scene.close();
});

const origin = () => proxy.url.replace('redis:', 'http:');

/** Reads a stream by `eventsource` until it has so many frames. */
function readByEventSource(
  url: string,
  enough: (got: readonly Heard[]) => boolean,
  heard?: () => void,
): Promise<Heard[]> {
  const got: Heard[] = [];
  return new Promise((resolve, reject) => {
    const source = new EventSource(url);
    const hear = (message: Event) => {
      // The reader's own: it comes back by itself.
      if (!('data' in message))
        return source.readyState === 2 ? reject(new Error('the stream was refused')) : undefined;
      const {
        type: event,
        lastEventId: id,
        data,
      } = message as unknown as { type: string; lastEventId: string; data: string };
      got.push({ event, id, data });
      heard?.();
      if (!enough(got)) return;
      source.close();
      resolve(got);
    };
    for (const name of NAMES) source.addEventListener(name, hear);
  });
}

describe.each(KINDS)('%s', (kind) => {
  const url = (format: Format) => api.at(`/executions/${runs[kind].runId}/events?format=${format}`);
  /** What a reader must have made of the stream: the name, id and data of each frame. */
  const expected = (format: Format) => heard(encodeLog(format, runs[kind].log));

  test.each(FORMATS)('EventSource reads %s', async (format) => {
    const wanted = expected(format);
    expect(await readByEventSource(url(format), ({ length }) => length >= wanted.length)).toEqual(
      wanted,
    );
  });

  test.each(FORMATS)('@microsoft/fetch-event-source reads %s', async (format) => {
    const got: Heard[] = [];
    await fetchEventSource(url(format), {
      openWhenHidden: true,
      onmessage: ({ event, id, data }) =>
        void (id !== '' && got.push({ event: event || 'message', id, data })),
    });
    expect(got).toEqual(expected(format));
  });

  test.each(FORMATS)('curl reads %s, in HTTP/1.1 and 1.0', async (format) => {
    for (const version of ['--http1.1', '--http1.0']) {
      const { stdout } = await promisify(execFile)('curl', [
        '-sSN',
        version,
        '-H',
        'Accept: text/event-stream',
        url(format),
      ]);
      expect(stdout).toBe(`retry: 3000\n\n${encodeLog(format, runs[kind].log)}`);
    }
  });

  test.each(FORMATS)('fetch and split reads %s', async (format) => {
    const response = await fetch(url(format), { headers: { accept: 'text/event-stream' } });
    expect(await fetchAndSplit(response)).toEqual(expected(format).map(({ data }) => data));
  });
});

/** The data of each frame, as front ends without a library read it. */
async function fetchAndSplit({ body }: Response): Promise<string[]> {
  let text = '';
  const got: string[] = [];
  for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    const pieces = (text + chunk).split('\n\n');
    text = pieces.pop() ?? '';
    for (const piece of pieces)
      got.push(...piece.split('\n').filter((line) => line.startsWith('data: ')));
  }
  expect(text).toBe('');
  return got.map((line) => line.slice(6));
}

test('EventSource resumes without gaps or duplicates', async () => {
  const behaviour = held(healthy);
  const runId = await api.accept(
    await api.store(topologyOf({ web: await httpTarget(scene.targets, behaviour) })),
  );
  let cut = false;
  const got = await readByEventSource(
    `${origin()}/api/service/v1/executions/${runId}/events?format=agent`,
    (frames) => frames.at(-1)?.data === '[DONE]',
    () => {
      if (!cut) proxy.reset();
      cut = true;
      behaviour.release();
    },
  );
  expect(got).toEqual(heard(encodeLog('agent', framesOf(await api.log(runId)))));
});

describe('a question that is sent by POST', () => {
  const body = (message: string) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  const logged = async (runId: string) => heard(encodeLog('chat', framesOf(await api.log(runId))));
  const lastRun = async () =>
    (await api.ask<{ items: { runId: string }[] }>('GET', '/executions?kind=chat&limit=1')).data
      .items[0]?.runId ?? '';

  test('curl', async () => {
    const sent = [
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"message": "List the topologies"}',
    ];
    const { stdout } = await promisify(execFile)('curl', [
      '-sSN',
      ...sent,
      `${api.url}/chat/stream`,
    ]);
    expect(heard(stdout)).toEqual(await logged(await lastRun()));
  });

  test('fetch and split', async () => {
    const response = await fetch(`${api.url}/chat/stream`, body('List the topologies'));
    const runId = response.headers.get('x-run-id') ?? '';
    expect(await fetchAndSplit(response)).toEqual((await logged(runId)).map(({ data }) => data));
  });

  test('@microsoft/fetch-event-source; with a key it comes back by itself after a cut, to the same turn', async () => {
    const slow = held(healthy);
    const topology_id = await api.store(
      topologyOf({ slow: await httpTarget(scene.targets, slow) }),
    );
    const { headers } = body('');
    const got: Heard[] = [];
    const runIds = new Set<string | null>();
    await fetchEventSource(`${origin()}/chat/stream`, {
      ...body('Is slow ok?'),
      body: JSON.stringify({ message: 'Is slow ok?', topology_id }),
      headers: { ...headers, 'Idempotency-Key': 'reader-1' },
      openWhenHidden: true,
      onopen: async (response) => void runIds.add(response.headers.get('x-run-id')),
      // A stream that ends before its terminal frame was cut; what is thrown here makes it come
      // back.
      onclose: () => {
        if (got.at(-1)?.event !== 'message_end') throw new Error('cut');
      },
      onmessage: ({ event, id, data }) => {
        if (id === '') return;
        got.push({ event, id, data });
        if (event !== 'function_call' || got.filter((each) => each.event === event).length > 1)
          return;
        proxy.reset();
        slow.release();
      },
    });
    expect(runIds.size).toBe(1);
    expect(proxy.accepted).toBeGreaterThan(1);
    expect(got).toEqual(await logged([...runIds][0] ?? ''));
    expect(got.at(-1)?.event).toBe('message_end');
  });
});
