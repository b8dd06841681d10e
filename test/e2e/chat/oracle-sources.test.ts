import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { ask } from '../../support/chat.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

let scene: Scene;
let api: Api;
let runs: string[];
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  const [cache, payments, other] = await Promise.all(
    [healthy, erroring, erroring].map((behaviour) => httpTarget(scene.targets, behaviour)),
  );
  const shop = topologyOf({ cache: cache!, payments: payments! }, { name: 'Corner shop' });
  const mall = topologyOf({ lift: other! }, { name: 'Grand mall' });
  runs = [];
  for (const topology of [shop, mall]) {
    const topologyId = await api.store(topology);
    runs.push((await (await api.trigger(topologyId)).end()).runId);
  }
});
afterAll(() => scene.close());

/** The text of an answer of the oracle, and the paths and texts of its sources. */
async function answer(question: string) {
  const { events } = await ask(`${api.url}/api/oracle/stream`, { question });
  const sources = events.flatMap(({ data }) =>
    data['type'] === 'source' ? [data['source'] as { path: string; snippet: string }] : [],
  );
  const texts = events.filter(({ data }) => data['type'] === 'content');
  return { text: texts.map(({ data }) => data['content']).join(''), sources };
}

test('a question about a node is answered with its own measurements, and cites no other node', async () => {
  const { text, sources } = await answer('Is the cache healthy?');
  expect(text).toMatch(
    /^Yes, at [^\n]* nothing was found to be wrong with The cache\.(?:\n\n[^\n]*)?\n\nMeasured then:\n- \d+: The cache: .*- \d+: The cache: http_probe: answered 200/s,
  );
  const [run = ''] = runs;
  const [, measured] = /Measured then:\n- (\d+)/.exec(text) ?? [];
  const paths = sources.map(({ path }) => path);
  expect(paths).toContain(`runs/${run}/events/${measured}`);
  const log = expectValid(await api.log(run));
  const nodes = log.flatMap(({ data, sequence }) =>
    paths.includes(`runs/${run}/events/${sequence}`) && data['node'] ? [data['node']] : [],
  );
  expect(new Set(nodes)).toEqual(new Set(['cache']));
});

test('a question about a broken node cites its own evidence', async () => {
  const { text, sources } = await answer('Is payments ok?');
  expect(text).toMatch(
    /^No, not at [^\n]*\n\nThe payments is the root cause: [^\n]*\n\nMeasured then:\n- \d+: The payments: /s,
  );
  expect(sources.filter(({ snippet }) => snippet.startsWith('cache'))).toEqual([]);
  // Of its measurements, the evidence comes first.
  const measured = sources.filter(({ snippet }) => snippet.startsWith('payments: '));
  expect(measured.map(({ snippet }) => /(\w+_probe)/.exec(snippet)?.[1])).toEqual([
    'http_probe',
    'tcp_probe',
  ]);
});

test.each(['What is broken right now?', 'Compare the shop with the mall'])(
  'an answer about several diagnoses names and cites the run of each: %s',
  async (question) => {
    const { text, sources } = await answer(question);
    for (const run of runs) {
      expect(text).toContain(run);
      expect(sources.map(({ path }) => path)).toContainEqual(
        expect.stringContaining(`runs/${run}`),
      );
    }
    expect(sources.length).toBeLessThanOrEqual(8);
  },
);
