import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EventData } from '../../../src/domain/events/event.js';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import { expectValid, type CheckedEvent } from '../../support/streams/event-stream.js';
import { closedPort } from '../../support/loopback.js';
import { Scene } from '../../support/scene.js';
import {
  erroring,
  healthy,
  httpTarget,
  slow,
  type Behaviour,
} from '../../support/processes/target.js';
import { teamOfEach, topologyOf, type NodeSketch } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
const target = (behaviour: Behaviour) => httpTarget(scene.targets, behaviour);
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
});
afterAll(() => scene.close());

interface Diagnosis {
  events: CheckedEvent[];
  summary: string;
  report: Report;
  roots: string[];
}

async function diagnose(nodes: Record<string, NodeSketch>, build = topologyOf): Promise<Diagnosis> {
  const events = expectValid((await (await api.trigger(await api.store(build(nodes)))).end()).text);
  const last = events.at(-1);
  expect(last?.key).toBe('lifecycle.completed');
  const { summary, report } = last?.data as unknown as EventData['lifecycle.completed'];
  if (!report) throw new Error('a diagnosis without a report');
  // Each piece of evidence is a result of a tool that looked at that very node.
  for (const { node, evidence } of [...report.root_causes, ...report.findings])
    for (const sequence of evidence) {
      const call = events.find(
        ({ key, data }) =>
          key === 'llm.tool_call' &&
          data['tool_call_id'] === events[sequence - 1]?.data['tool_call_id'],
      );
      expect(call?.data['args']).toMatchObject({ node });
    }
  const { critical, warning } = report.counts;
  expect(summary).toMatch(
    new RegExp(
      `Found ${warning} warning${warning === 1 ? '' : 's'}, ${critical} critical issue${critical === 1 ? '' : 's'}\\.$`,
    ),
  );
  return { events, summary, report, roots: report.root_causes.map(({ node }) => node) };
}

const refused = async (): Promise<NodeSketch> => ({
  endpoint: `http://127.0.0.1:${await closedPort()}/health`,
});

test('nothing wrong: healthy', async () => {
  const { report, roots } = await diagnose({
    web: { ...(await target(healthy)), dependsOn: ['db'] },
    db: await target(healthy),
  });
  expect({ roots, ...report }).toMatchObject({
    roots: [],
    verdict: 'healthy',
    unchecked: [],
    findings: [],
    counts: { critical: 0 },
  });
});

test('a target that refuses connections', async () => {
  const { report, roots, events } = await diagnose({
    web: { ...(await refused()), dependsOn: ['db'] },
    db: await target(healthy),
  });
  expect(roots).toEqual(['web']);
  expect(report).toMatchObject({
    verdict: 'root_cause_found',
    root_causes: [{ confidence: expect.any(Number) as unknown }],
  });
  expect(events).toContainEqual(
    expect.objectContaining({
      key: 'system.error',
      data: expect.objectContaining({ code: 'SERVICE_CONNECTION_FAILED', node: 'web' }) as unknown,
    }),
  );
});

test('names like those of secrets stay names, and what a target says is redacted all the same', async () => {
  const indiscreet: Behaviour = (response) => {
    response.writeHead(500).end('Client secret: canary-of-the-body');
  };
  const { events, summary, report } = await diagnose({
    secret: { ...(await refused()), name: 'Client secret' },
    tokenizer: { ...(await target(indiscreet)), name: 'Tokenizer' },
  });
  const titles = [
    'Client secret: connection refused (ECONNREFUSED)',
    'Tokenizer: answers 500 Internal Server Error',
  ];
  expect(report.root_causes.map(({ title }) => title)).toEqual(titles);
  expect(summary).toContain(`2 root causes. ${titles.join('. ')}.`);
  expect(report.findings.filter(({ explanation }) => explanation !== undefined)).toEqual([]);
  expect(report.narrative).toContain(report.headline);
  expect(JSON.stringify(events)).toContain('Client secret: ***');
  expect(JSON.stringify(events)).not.toContain('canary-of-the-body');
});

test.each([
  ['one team', topologyOf],
  ['a team for each node', teamOfEach],
])('explains upstream errors by a dependency that is down, in %s', async (_, build) => {
  const nodes = {
    web: { ...(await target(erroring)), dependsOn: ['checkout'] },
    checkout: { ...(await target(erroring)), dependsOn: ['payments', 'stock'] },
    payments: await refused(),
    stock: await target(healthy),
  };
  const { report, roots, summary } = await diagnose(nodes, build);
  expect(roots).toEqual(['payments']);
  expect(summary).toContain('The payments');
  const details = Object.fromEntries(report.findings.map(({ node, detail }) => [node, detail]));
  expect(details['web']).toContain('Downstream of The payments');
  expect(details['checkout']).toContain('Downstream of The payments');
  expect(details['payments']).not.toContain('Downstream');
  expect(details['stock']).toBeUndefined();
});

test('names a failing node with healthy dependencies as the cause', async () => {
  const nodes = {
    web: { ...(await target(erroring)), dependsOn: ['db'] },
    db: await target(healthy),
  };
  expect((await diagnose(nodes)).roots).toEqual(['web']);
});

test('names the first slow dependency as the cause', async () => {
  const nodes = {
    web: { ...(await target(slow(120))), dependsOn: ['db'], attributes: { slowMs: 60 } },
    db: { ...(await target(slow(100))), attributes: { slowMs: 50 } },
  };
  const { report, roots } = await diagnose(nodes);
  expect(roots).toEqual(['db']);
  expect(report.counts).toMatchObject({ critical: 0, warning: 2 });
});

test('names two unrelated faults as two causes', async () => {
  const nodes = {
    mail: await refused(),
    web: { ...(await target(erroring)), dependsOn: ['db'] },
    db: await target(healthy),
  };
  expect((await diagnose(nodes)).roots.toSorted()).toEqual(['mail', 'web']);
});

test('a node that no tool can look at is unchecked, and the run is not called healthy', async () => {
  const nodes = {
    web: await target(healthy),
    mainframe: { kind: 'mainframe', endpoint: 'bolted to the floor' },
  };
  const { report } = await diagnose(nodes);
  expect(report).toMatchObject({ verdict: 'inconclusive', unchecked: [{ node: 'mainframe' }] });
});

test('more workers and teams than a turn may dispatch: all are sent, and the end of the chain is the cause', async () => {
  const { endpoint } = await refused();
  const sketch = (i: number, team: string): NodeSketch => ({
    endpoint: endpoint ?? '',
    attributes: { team },
    ...(i < 45 && { dependsOn: [`n${i + 1}`] }),
  });
  const nodes = Array.from({ length: 46 }, (_, i) => [
    `n${i}`,
    sketch(i, i < 23 ? 'large' : `team ${i}`),
  ]);
  const { events, report, roots } = await diagnose(
    Object.fromEntries(nodes) as Record<string, NodeSketch>,
  );
  expect(roots).toEqual(['n45']);
  expect(report.unchecked).toEqual([]);
  expect(events.filter(({ key }) => key === 'dispatch.team')).toHaveLength(24);
  expect(events.at(-1)?.data).toMatchObject({ partial: false, reasons: [] });
});
