import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { EVENT_NAMES } from '../../src/domain/events/event.js';
import { FORMATS, formatOf, type Format } from '../../src/formats/registry.js';
import type { Api } from '../support/api.js';
import { ask } from '../support/chat.js';
import { encodeLog, framesOf } from '../support/streams/encode.js';
import { heard, type Heard } from '../support/streams/heard.js';
import { Scene } from '../support/scene.js';
import { healthy, held, httpTarget } from '../support/processes/target.js';
import { TcpProxy } from '../support/processes/tcp-proxy.js';
import { topologyOf } from '../support/incidents/topology.js';
import { startChromium } from './chromium.js';
import { startFront } from './front.js';
import { keepScreenshot } from './screenshot.js';

const NAMES = ['message', ...EVENT_NAMES, ...Object.keys(formatOf('chat').frames)];

let browser: Browser;
let scene: Scene;
let api: Api;
let proxy: TcpProxy;
let front: { url: string; close(): Promise<void> };
beforeAll(async () => {
  browser = await startChromium();
  scene = new Scene();
  api = await scene.service({ ALLOWED_HOSTS: '127.0.0.1' });
  front = await startFront(api.url);
  proxy = await TcpProxy.to(front.url);
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await front?.close();
  await scene?.close();
});

/** A page that follows a run. */
async function follow(origin: string, runId: string, format: Format): Promise<Page> {
  const page = await browser.newPage();
  const query = new URLSearchParams({
    url: `/api/service/v1/executions/${runId}/events?format=${format}`,
    names: NAMES.join(),
  });
  await page.goto(`${origin}/event-source.html?${query.toString()}`);
  return page;
}

/**
 * What the page has received when the stream is over: the browser reconnects once more and gets
 * 204.
 */
async function heardBy(page: Page): Promise<Heard[]> {
  await page.waitForFunction('window.state === "closed"');
  return page.evaluate<Heard[]>('window.frames_');
}

const logged = async (runId: string, format: Format) =>
  heard(encodeLog(format, framesOf(await api.log(runId))));

test.each(FORMATS)(
  "the browser's EventSource reads %s of a diagnosis and of a chat turn",
  async (format) => {
    const id = await api.store(topologyOf({ web: await httpTarget(scene.targets, healthy) }));
    const { runId: diagnosis } = await (await api.trigger(id)).end();
    const { runId: turn } = await ask(`${api.url}/chat/stream`, { message: 'List the topologies' });
    const read = async (runId: string) => {
      const page = await follow(front.url, runId, format);
      expect(await heardBy(page)).toEqual(await logged(runId, format));
      await page.close();
    };
    await Promise.all([read(diagnosis), read(turn)]);
  },
);

test.each(['executor', 'ag-ui', 'ai-sdk'] as const)(
  'its stream of %s is cut again and again, and goes on without a gap or a double',
  async (format) => {
    const behaviour = held(healthy);
    const id = await api.store(topologyOf({ web: await httpTarget(scene.targets, behaviour) }));
    const runId = await api.accept(id);
    const page = await follow(proxy.url.replace('redis:', 'http:'), runId, format);
    await page.waitForFunction('window.frames_.length > 3');
    proxy.reset();
    await page.waitForFunction('window.cuts > 0 && window.state === "open"');
    const before = await page.evaluate<number>('window.cuts');
    // The network is down for a while.
    proxy.cut();
    await page.waitForFunction(`window.cuts > ${before}`);
    behaviour.release();
    await api.reaches(runId, 'completed');
    proxy.mend();
    const frames = await heardBy(page);
    await keepScreenshot(page, `event-source-${format}`);
    expect(frames).toEqual(await logged(runId, format));
    await page.close();
  },
);
