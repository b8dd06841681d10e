import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../support/api.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/programs/otlp-receiver.js';
import { teamOfEach } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { Cluster, scriptedNode, say, type NodeProcess } from './lib/cluster.js';

let cluster: Cluster;
let receiver: OtlpReceiver;
let api: Api;
let worker: NodeProcess;
let env: Record<string, string>;
beforeAll(async () => {
  cluster = new Cluster();
  receiver = await OtlpReceiver.start();
  env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=the%20shop',
    // A busy machine must not lose another lock than that of the process that dies.
    LOCK_MS: '5000',
  };
  const [node, first] = await Promise.all([
    cluster.start('api', env),
    cluster.start('worker', env),
  ]);
  api = new Api(node.url);
  worker = first;
});
afterEach(() => until('no job is left', async () => (await cluster.jobs()) === 0));
afterAll(async () => {
  await cluster.close();
  await receiver.close();
});

/** The spans of a trace, once that of its run is there. */
const spansOf = (traceId: string): Promise<ReceivedSpan[]> =>
  until('the trace has arrived', () => {
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    return spans.some(({ name }) => name.startsWith('invoke_workflow')) ? spans : undefined;
  });
const namesOf = (spans: ReceivedSpan[], begin: string) =>
  spans.flatMap(({ name }) => (name.startsWith(begin) ? [name] : [])).toSorted();

test('a run that a second process resumes is one trace, with the work of both', async () => {
  const nodes = {
    web: scriptedNode('look', { mark: 'traced web' }),
    db: scriptedNode('look', { mark: 'traced db', gate: 'traced' }),
  };
  const run = await api.trigger(await api.store(teamOfEach(nodes)), say({ mark: 'traced' }));
  const held = await cluster.observed({ event: 'tool-began', mark: 'traced db' });
  expect(cluster.processOf(held)).toBe(worker);
  // The work on the other node is recorded by the process that dies.
  await run.has('event: dispatch.report');
  await worker.end();
  worker = await cluster.start('worker', env);
  await cluster.control.open('traced');
  await run.end();

  const spans = await spansOf(run.runId.replaceAll('-', ''));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(spans.length);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(roots.map(({ name }) => name)).toEqual([expect.stringMatching(/^invoke_workflow /)]);
  expect(spans.every(({ parentSpanId = '' }) => parentSpanId === '' || ids.has(parentSpanId))).toBe(
    true,
  );
  expect(namesOf(spans, 'execute_tool')).toEqual(['execute_tool look', 'execute_tool look']);
  expect(namesOf(spans, 'invoke_agent')).toHaveLength(5);
  expect(namesOf(spans, 'chat ').length).toBeGreaterThanOrEqual(5);
  expect(namesOf(spans, 'turn ').length).toBeGreaterThanOrEqual(5);
  const resumed = spans.filter(({ events }) => events.includes('AGENT_RESUMED'));
  expect(resumed.map(({ name }) => name)).toContain('invoke_agent The db worker');
  expect(spans[0]?.resource).toMatchObject({ 'service.name': 'consilium' });
  for (const { body } of receiver.requests) {
    expect(body).not.toContain('Let me think');
    expect(body).not.toContain('traced web');
  }
});

test('a run continues the trace of the request that started it', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const span = '00f067aa0ba902b7';
  const topologyId = await api.store(teamOfEach({ web: scriptedNode('look', { mark: 'called' }) }));
  const { status, data } = await api.ask<{ runId: string }>('POST', '/executions/trigger', {
    body: { topologyId, ...say({ mark: 'called' }) },
    headers: { traceparent: `00-${trace}-${span}-01` },
  });
  expect(status).toBe(202);
  await api.reaches(data.runId, 'completed');
  const spans = await spansOf(trace);
  const root = spans.find(({ parentSpanId }) => parentSpanId === span);
  expect(root?.attributes).toMatchObject({
    'gen_ai.conversation.id': data.runId,
    'consilium.run.status': 'completed',
  });
});
