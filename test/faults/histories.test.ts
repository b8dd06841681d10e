import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { as } from '../support/chat.js';
import { expectValid } from '../support/streams/event-stream.js';
import { until } from '../support/until.js';
import { Cluster } from './lib/cluster.js';
import { framesOf, restoreRun, type History } from './lib/history.js';

/** Runs that earlier code wrote: see record-histories.ts. */
const FOLDER = join(import.meta.dirname, '../fixtures/histories');
const histories = readdirSync(FOLDER).map((file) => ({
  file,
  history: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as History,
}));
const statusOf = ({ keys }: History) => (keys['state']?.value as Record<string, string>)['status'];
const isOpen = (history: History) => ['queued', 'running'].includes(statusOf(history) ?? '');

let cluster: Cluster;
let api: Api;
beforeAll(async () => {
  cluster = new Cluster();
  const [node] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
  api = new Api(node.url);
});
afterAll(() => cluster.close());

test.each(histories.filter(({ history }) => !isOpen(history)))(
  '$file replays to the same bytes',
  async ({ history }) => {
    await restoreRun(cluster.store, cluster.prefix, history);
    const frames = framesOf(history);
    expect(await api.log(history.runId)).toBe(frames);
    expectValid(frames);
    const half = framesOf(history).split(/(?<=\n\n)/).length >> 1;
    const late = await (await api.follow(history.runId, { 'last-event-id': String(half) })).end();
    expect(frames.endsWith(late.log)).toBe(true);
    expect(late.log.startsWith(`event: `) && late.log.includes(`\nid: ${half + 1}\n`)).toBe(true);
    const shown = await api.show(history.runId);
    expect([shown.status, shown.quiesced]).toEqual([statusOf(history), true]);
    expect(shown.report).not.toBeNull();
  },
);

test.each(histories.filter(({ history }) => isOpen(history)))(
  'resumes $file without repeating recorded work',
  async ({ history }) => {
    // The value of an attribute `token` is a secret now, also where a gate of the recorded message
    // has the same name.
    for (const gate of [...history.gates, '***']) await cluster.control.open(gate);
    await restoreRun(cluster.store, cluster.prefix, history);
    const headers = history.caller === undefined ? {} : as(history.caller);
    const run = await (await api.follow(history.runId, headers)).end();
    expect(run.log.startsWith(framesOf(history))).toBe(true);
    expect(expectValid(run.text).at(-1)).toMatchObject({ key: 'lifecycle.completed' });
    expect(run.log.slice(framesOf(history).length)).toContain('AGENT_RESUMED');
    for (const mark of history.done)
      expect(await cluster.control.observations({ event: 'tool-began', mark })).toEqual([]);
    await until('no job is left', async () => (await cluster.jobs()) === 0);
  },
);
