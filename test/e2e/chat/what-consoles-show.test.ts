import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FORMATS } from '../../../src/formats/registry.js';
import { EventStream, expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

let scene: Scene;
beforeAll(() => void (scene = new Scene()));
afterAll(() => scene.close());

/** An event of the formats `executor` and `flat`. */
interface Shown {
  source: { agent_id: string; agent_type: string } | null;
  event: { category: string; action: string };
  data: { content?: string; summary?: string };
}

const eventsIn = (text: string): Shown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Shown);
const nameOf = ({ event }: Shown): string => `${event.category}.${event.action}`;

test('a tool that takes longer than a second reports progress in every format that shows a diagnosis', async () => {
  const api = await scene.service();
  const answers = held(healthy);
  const shop = { ...(await httpTarget(scene.targets, answers)), attributes: { timeoutMs: 10_000 } };
  const run = await api.trigger(await api.store(topologyOf({ shop })));
  const open = (format: string) =>
    EventStream.open(`${api.url}/api/service/v1/executions/${run.runId}/events?format=${format}`);
  const streams = new Map(
    await Promise.all(FORMATS.map(async (format) => [format, await open(format)] as const)),
  );
  // The probe has no answer, so the call is open.
  for (const [, stream] of streams)
    await until('progress', () => stream.text.includes('is still running after'));
  answers.release();
  expectValid((await run.end()).text);
  for (const [, stream] of streams) await stream.end();
});

test.each(['executor', 'flat'])(
  'in format %s, every agent says its conclusion as text before its report',
  async (format) => {
    const api = await scene.service();
    const shop = await httpTarget(scene.targets, healthy);
    const id = await api.store(topologyOf({ shop }));
    const { runId } = await (await api.trigger(id)).end();
    const url = `${api.url}/api/service/v1/executions/${runId}/events?format=${format}`;
    const events = eventsIn((await (await EventStream.open(url)).end()).text);
    const ends = events.flatMap((event, i) =>
      ['dispatch.report', 'lifecycle.completed'].includes(nameOf(event)) ? [i] : [],
    );
    const agents = ends.map((i) => events[i]?.source?.agent_type);
    expect(agents.toSorted()).toEqual(['global_supervisor', 'team_supervisor', 'worker']);
    for (const i of ends) {
      const { source, data } = events[i] as Shown;
      const said = events
        .slice(0, i)
        .filter((event) => nameOf(event) === 'llm.stream')
        .filter((event) => event.source?.agent_id === source?.agent_id)
        .map((event) => event.data.content)
        .join('');
      expect(data.summary).toMatch(/\w/);
      // Text is Markdown.
      expect(said.replaceAll('\\', '')).toContain(data.summary);
    }
  },
);
