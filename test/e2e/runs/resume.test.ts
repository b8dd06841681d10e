import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  expectValid,
  lastSequenceOf,
  logOf,
  type EventStream,
} from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { teamOfEach, topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
/** A run that has ended, and its log. */
let runId: string;
let log: string;
let end: number;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  const targets = {
    api: await httpTarget(scene.targets, healthy),
    shop: await httpTarget(scene.targets, healthy),
  };
  const stream = await (await api.trigger(await api.store(teamOfEach(targets)))).end();
  expectValid(stream.text);
  ({ runId, log, lastSequence: end } = stream);
});
afterAll(() => scene.close());

/** The frames of the log after a sequence. */
const after = (sequence: number): string =>
  log.slice(log.indexOf(`id: ${sequence}\n`)).replace(/^.*?\n\n/s, '');

describe('a stream', () => {
  test('replays the same bytes as the live stream', async () => {
    expect(await api.log(runId)).toBe(log);
  });

  test('resumes after Last-Event-ID or ?after=, and prefers the header', async () => {
    const three = await (await api.follow(runId, { 'last-event-id': '3' })).end();
    expect(three.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-run-id': runId,
    });
    expect(three.log).toBe(after(3));
    expect((await (await api.follow(runId, {}, '?after=5')).end()).log).toBe(after(5));
    expect((await (await api.follow(runId, { 'last-event-id': '4' }, '?after=9')).end()).log).toBe(
      after(4),
    );
    expect((await (await api.follow(runId, { 'last-event-id': '4' }, '?after=x')).end()).log).toBe(
      after(4),
    );
    expect((await (await api.follow(runId, { 'last-event-id': '0' }, '?after=9')).end()).log).toBe(
      log,
    );
  });

  test('returns every suffix of the log', async () => {
    const suffixes = await Promise.all(
      Array.from(
        { length: end - 1 },
        async (_, i) => (await (await api.follow(runId, {}, `?after=${i + 1}`)).end()).log,
      ),
    );
    expect(suffixes).toEqual(suffixes.map((_, i) => after(i + 1)));
  });

  test('returns 204 after the terminal event', async () => {
    const byHeader = await (await api.follow(runId, { 'last-event-id': String(end) })).end();
    const byQuery = await (await api.follow(runId, {}, `?after=${end}`)).end();
    expect([byHeader.status, byHeader.text, byQuery.status, byQuery.text]).toEqual([
      204,
      '',
      204,
      '',
    ]);
  });

  const wrong = [
    '-1',
    'abc',
    '1.5',
    '1e1',
    '0x1',
    '99999',
    '9'.repeat(30),
    '1 2',
    '٣',
    'null',
    '4.1',
  ];
  test.each(wrong)('refuses the cursor %j', async (cursor) => {
    const asHeader = /^[ -~]*$/.test(cursor) ? [{ headers: { 'last-event-id': cursor } }] : [];
    for (const { headers = {}, query = '' } of [
      ...asHeader,
      { query: `?after=${encodeURIComponent(cursor)}` },
    ] as {
      headers?: Record<string, string>;
      query?: string;
    }[])
      for (const accept of ['text/event-stream', 'application/json']) {
        const answer = await api.ask('GET', `/executions/${runId}/events${query}`, {
          headers: { accept, ...headers },
        });
        expect(answer).toMatchObject({ status: 400, code: 'INVALID_EVENT_ID', data: null });
      }
  });

  test.each([
    ['Last-Event-ID', '', { 'last-event-id': 'abc' }],
    ['after', '?after=abc', {}],
  ])('says what %s must be', async (name, query, headers) => {
    const answer = await api.ask('GET', `/executions/${runId}/events${query}`, { headers });
    expect(answer.text).toContain(`${name} must be the id of an event of this run, or 0`);
  });

  test('refuses a cursor that is just past the end', async () => {
    const answer = await api.ask('GET', `/executions/${runId}/events?after=${end + 1}`);
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_EVENT_ID' });
  });

  test.each(['?after=', '?after=1&after=2'])('refuses %s', async (query) => {
    expect(await api.ask('GET', `/executions/${runId}/events${query}`)).toMatchObject({
      status: 400,
      code: 'INVALID_EVENT_ID',
    });
  });
});

describe('pages', () => {
  interface Page {
    items: { sequence: number }[];
    nextAfter: number | null;
  }
  const page = async (query: string): Promise<Page> =>
    (await api.ask<Page>('GET', `/executions/${runId}/events${query}`)).data;

  test('add up to the log for every page size', async () => {
    const events = [...log.matchAll(/^data: (.*)$/gm)].map(
      ([, data]) => JSON.parse(data as string) as unknown,
    );
    for (const limit of [1, 7, 1_000]) {
      const items: unknown[] = [];
      let next: number | null = 0;
      while (next !== null) {
        const one: Page = await page(`?after=${next}&limit=${limit}`);
        expect(one.items.length).toBeLessThanOrEqual(limit);
        expect(one.nextAfter).toBe(
          one.items.at(-1)?.sequence === end ? null : one.items.at(-1)?.sequence,
        );
        items.push(...one.items);
        next = one.nextAfter;
      }
      expect(items).toEqual(events);
    }
  });

  test('hold 100 events unless asked, begin at the start, take the header too', async () => {
    expect((await page('')).items.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: Math.min(end, 100) }, (_, i) => i + 1),
    );
    const { data } = await api.ask<Page>('GET', `/executions/${runId}/events?after=9&limit=1`, {
      headers: { 'last-event-id': '2' },
    });
    expect(data).toMatchObject({ items: [{ sequence: 3 }], nextAfter: 3 });
    expect(await page(`?after=${end}`)).toEqual({ items: [], nextAfter: null });
  });

  test('have a cursor while the run is open', async () => {
    const gate = held(healthy);
    const live = await api.trigger(
      await api.store(topologyOf({ api: await httpTarget(scene.targets, gate) })),
    );
    await live.has('event: llm.tool_call');
    const { data } = await api.ask<Page>('GET', `/executions/${live.runId}/events?limit=1000`);
    const last = data.items.at(-1)?.sequence;
    expect(data.nextAfter).toBe(last);
    gate.release();
    await live.end();
    const rest = await api.ask<Page>(
      'GET',
      `/executions/${live.runId}/events?limit=1000&after=${last}`,
    );
    expect(rest.data.nextAfter).toBeNull();
    expect([...data.items, ...rest.data.items].map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: live.lastSequence }, (_, i) => i + 1),
    );
  });

  test.each(['0', '1001', '-1', 'x', '1.5', ''])('refuse the limit %j', async (limit) => {
    const answer = await api.ask<{ errors: unknown[] }>(
      'GET',
      `/executions/${runId}/events?limit=${limit}`,
    );
    expect(answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      data: { errors: [{ path: 'limit' }] },
    });
  });
});

describe('ten followers', () => {
  /**
   * A follower that is cut again and again, each time in the middle of a frame, and resumes after
   * the last whole one.
   */
  async function cutAfter(bytes: number[], id: string): Promise<string> {
    let held = '';
    const resume = () =>
      api.follow(id, held === '' ? {} : { 'last-event-id': String(lastSequenceOf(held)) });
    for (const many of bytes) {
      const stream = await resume();
      while (!stream.ended && stream.text.length < many)
        await new Promise((resolve) => setImmediate(resolve));
      stream.cut();
      held += logOf(stream.text.slice(0, many));
    }
    const stream = await (await resume()).end();
    return held + stream.log;
  }

  test('that join at different times, some cut, all hold the same bytes', async () => {
    const gates = { first: held(healthy), second: held(healthy), third: held(healthy) };
    const target = async (name: keyof typeof gates) => httpTarget(scene.targets, gates[name]);
    const nodes = {
      first: await target('first'),
      second: await target('second'),
      third: await target('third'),
    };
    const leader = await api.trigger(await api.store(teamOfEach(nodes)));
    const id = leader.runId;
    const whole = async (stream: Promise<EventStream>) => (await (await stream).end()).log;

    const logs: Promise<string>[] = [
      whole(Promise.resolve(leader)),
      whole(api.follow(id)),
      cutAfter([300, 900, 2_000], id),
    ];
    await leader.has('"tool":"http_probe"');
    logs.push(whole(api.follow(id)), cutAfter([1, 5_000, 3, 800], id));
    gates.first.release();
    await leader.has(
      '"agent_name":"The first worker","team_name":"first team"},"event":{"category":"dispatch","action":"report"}',
    );
    logs.push(whole(api.follow(id)), cutAfter([10, 1_234, 4_321], id), cutAfter([7_000], id));
    gates.second.release();
    await leader.has(
      '"agent_name":"The second worker","team_name":"second team"},"event":{"category":"dispatch","action":"report"}',
    );
    logs.push(whole(api.follow(id)));
    gates.third.release();
    await leader.end();
    logs.push(cutAfter([2_500, 2_500, 2_500], id), whole(api.follow(id)));

    expectValid(leader.text);
    const all = await Promise.all(logs);
    expect(all.map((held) => Buffer.from(held).equals(Buffer.from(leader.log)))).toEqual(
      Array(11).fill(true),
    );
  });

  test('that follow on another node hold the same bytes', async () => {
    const gate = held(healthy);
    const other = await scene.service({ ROLE: 'api' });
    const leader = await api.trigger(
      await api.store(teamOfEach({ api: await httpTarget(scene.targets, gate) })),
    );
    const followers = await Promise.all(
      Array.from({ length: 4 }, () => other.follow(leader.runId)),
    );
    await leader.has('"tool":"http_probe"');
    gate.release();
    for (const stream of [leader, ...followers]) await stream.end();
    expectValid(leader.text);
    expect(followers.map((stream) => stream.log === leader.log)).toEqual(Array(4).fill(true));
  });
});
