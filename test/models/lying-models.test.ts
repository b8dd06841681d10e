import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Report } from '../../src/domain/diagnosis/finding.js';
import { type CheckedEvent } from '../support/streams/event-stream.js';
import { call, INJECTION, MEASURE, say, FINE, type Turns, LIES } from '../support/models/lies.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer, type Reply } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { partsOf } from '../support/models/request-parts.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { healthy, httpTarget, type Behaviour, type Target } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';

/** A target that fails, and whose page contains instructions for a model. */
const hostile: Behaviour = (response) => void response.writeHead(500).end(INJECTION);

/** What the service would measure at the shop itself. */
const FIRST_LOOK = [call('http_probe', { node: 'shop' }), call('tcp_probe', { node: 'shop' })];

const of = (events: readonly CheckedEvent[], key: string): CheckedEvent[] =>
  events.filter((event) => event.key === key);

const scene = modelScene();
let topology: { id: number };
let shop: Target;
beforeEach(async () => {
  shop = await httpTarget(scene.targets, hostile);
  const stock = await httpTarget(scene.targets, healthy);
  const worker = (agentId: string, name: string, node: string) => ({
    agentId,
    name,
    node,
    tools: ['http_probe', 'tcp_probe'],
  });
  topology = topologyOf(
    { shop: { ...shop, endpoint: shop.endpoint, dependsOn: ['stock'] }, stock },
    {
      globalSupervisor: { agentId: '1', name: 'Head' },
      teams: [
        {
          name: 'Team',
          nodes: ['shop', 'stock'],
          supervisor: { agentId: '2', name: 'Lead' },
          workers: [worker('3', 'Shop', 'shop'), worker('4', 'Stock', 'stock')],
        },
      ],
    },
  );
});

interface Script {
  worker?: Turns;
  stock?: Turns;
  lead?: Turns;
  /** The first turn of the agent at the top. */
  first?: Turns;
  /** Its later turns. */
  top?: Turns;
}

/** Replies with the turns of a script, otherwise as the planner. */
function liar(script: Script): Reply {
  const turns = new Map<string, number>();
  const next = (key: string): number => {
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return turn;
  };
  const play = (lines: Turns | undefined, turn: number): Reply => {
    const line = lines?.[Math.min(turn, lines.length - 1)];
    return line ? answer(...line) : runbookReply;
  };
  return (exchange) => {
    const role = roleOf(exchange);
    if (role === 'worker') {
      const isShop = JSON.stringify(exchange.body).includes('\\"id\\":\\"shop\\"');
      const name = isShop ? 'worker' : 'stock';
      return play(script[name], next(name))(exchange);
    }
    if (role === 'team_supervisor') return play(script.lead, next('lead'))(exchange);
    const turn = next('top');
    return turn === 0 ? play(script.first, 0)(exchange) : play(script.top, turn - 1)(exchange);
  };
}

async function diagnose(script: Script): Promise<CheckedEvent[]> {
  scene.server.otherwise = liar(script);
  const api = await scene.service(scene.models({ liar: {} }));
  return scene.diagnose(api, topology);
}

const reportOf = (events: readonly CheckedEvent[]): Report =>
  events.at(-1)?.data['report'] as unknown as Report;

/** The conclusion from the measurements alone. */
const measuredIn = ({ findings }: Report) =>
  findings
    .filter((finding) => finding.origin === 'measured' && finding.severity !== 'info')
    .map(({ node, severity, title, symptom }) => ({ node, severity, title, symptom }));

describe('C6: a model that lies', () => {
  it.each(Object.keys(LIES))('%s does not change the verdict', async (lie) => {
    const worker = lie === 'dispatches 200 times' ? 'd1_2' : 'd1_1';
    const script = LIES[lie]?.({ http: `${worker}_t1`, tcp: `${worker}_t2` }) ?? {};
    const report = reportOf(await diagnose(script));
    expect(report).toMatchObject({
      verdict: 'root_cause_found',
      root_causes: [{ node: 'shop', kind: 'exception', confidence: 0.85 }],
      counts: { critical: 1, warning: 0 },
    });
    expect(measuredIn(report)).toEqual([
      {
        node: 'shop',
        severity: 'critical',
        symptom: 'erroring',
        title: 'answers 500 Internal Server Error',
      },
    ]);
    expect(report.headline).toBe('The shop is the root cause: answers 500 Internal Server Error.');
  });

  const byService = (events: readonly CheckedEvent[]) =>
    of(events, 'llm.tool_call').flatMap(({ data }) =>
      data['by_service'] === true ? [data['tool']] : [],
    );
  const codesOf = (events: readonly CheckedEvent[]) =>
    of(events, 'system.warning').map(({ data }) => data['code']);
  const FOUND = {
    verdict: 'root_cause_found',
    unchecked: [],
    narrative: 'Everything is fine.',
    root_causes: [{ node: 'shop', kind: 'exception' }],
  };

  it.each<[string, Turns, string[]]>([
    ['never measures', [[FINE]], ['http_probe', 'tcp_probe']],
    [
      'measures only that the port accepts',
      [[call('tcp_probe', { node: 'shop' })], [FINE]],
      ['http_probe'],
    ],
    [
      'measures only its neighbour',
      [[call('http_probe', { node: 'stock' })], [FINE]],
      ['http_probe', 'tcp_probe'],
    ],
  ])('%s: the service makes the calls that it left out', async (_, worker, tools) => {
    const events = await diagnose({ worker, top: [[FINE]] });
    expect(reportOf(events)).toMatchObject(FOUND);
    expect(byService(events)).toEqual(tools);
    expect(codesOf(events)).toContain('UNREPORTED_MEASUREMENT');
  });

  it('ends without a report: the service makes the calls that it left out', async () => {
    const events = await diagnose({ worker: [[{ text: 'Everything is fine.' }]], top: [[FINE]] });
    expect(reportOf(events)).toMatchObject(FOUND);
    expect(byService(events)).toEqual(['http_probe', 'tcp_probe']);
    expect(codesOf(events)).toContain('UNREPORTED_MEASUREMENT');
  });

  it('measures everything: the service adds no call', async () => {
    const events = await diagnose({ worker: [FIRST_LOOK, [FINE]] });
    expect(byService(events)).toEqual([]);
  });

  it.each([
    ['fails', 0],
    ['succeeds', 1],
  ])('tries a flaky service once, which %s: the service counts the failures', async (_, first) => {
    shop.behaviour = (response, hit, request) =>
      ((hit + first) % 2 === 1 ? hostile : healthy)(response, hit, request);
    const events = await diagnose({ worker: [MEASURE, [FINE]], top: [[FINE]] });
    expect(byService(events)).toEqual(['http_probe']);
    expect(reportOf(events)).toMatchObject({
      findings: [
        {
          node: 'shop',
          severity: 'critical',
          title: 'fails now and then: answers 500 Internal Server Error',
          detail: expect.stringContaining('5 of 10 tries failed'),
        },
      ],
      counts: { critical: 1, warning: 0, info: 0 },
    });
  });

  it.each<[string, Turns]>([
    ['sends no worker to the node that fails', []],
    [
      'has another worker see that its port accepts',
      [[call('tcp_probe', { node: 'shop' }), call('http_probe', { node: 'stock' })]],
    ],
  ])('%s: the service looks at the node', async (_, turns) => {
    const sent = [call('dispatch_worker', { worker: 'Stock', task: 'Look.' })];
    const stock = [...turns, [FINE]];
    const events = await diagnose({ lead: [sent, [FINE]], stock, top: [[FINE]] });
    expect(reportOf(events)).toMatchObject(FOUND);
    // The agent at the top learns so, and not only the reader of the report.
    const requests = scene.server.exchanges.map(({ body }) => JSON.stringify(body));
    expect(
      requests.filter((text) => /unchecked[^{]*\{[^}]*shop[^}]*NOT_MEASURED/.test(text)).length,
    ).toBeGreaterThanOrEqual(1);
  });

  it('sends no worker to what the failing node depends on: the service looks there', async () => {
    const sent = [call('dispatch_worker', { worker: 'Shop', task: 'Look.' })];
    const worker: Turns = [FIRST_LOOK, [FINE]];
    const events = await diagnose({ lead: [sent, [FINE]], worker, top: [[FINE]] });
    expect(reportOf(events)).toMatchObject({
      ...FOUND,
      root_causes: [{ node: 'shop', confidence: 0.85 }],
      nodes: [
        { node: 'shop', state: 'failed' },
        { node: 'stock', state: 'healthy' },
      ],
    });
    expect(byService(events)).toEqual(['http_probe', 'tcp_probe']);
  });

  it('sends no team: the service looks at every node', async () => {
    const events = await diagnose({ first: [[FINE]] });
    expect(reportOf(events)).toMatchObject(FOUND);
    expect(of(events, 'dispatch.team')).toEqual([]);
    expect(byService(events).toSorted()).toEqual([
      'http_probe',
      'http_probe',
      'tcp_probe',
      'tcp_probe',
    ]);
  });

  const again = Array.from({ length: 200 }, () =>
    call('dispatch_team', { team: 'Team', task: 'Look.' }),
  );

  it('sends its team 200 times in a turn: it is sent once, and its model reads why', async () => {
    const events = await diagnose({ worker: [MEASURE, [FINE]], first: [again], top: [[FINE]] });
    expect(reportOf(events)).toMatchObject(FOUND);
    expect(of(events, 'dispatch.team')).toHaveLength(1);
    expect(codesOf(events)).not.toContain('NO_PROGRESS');
    expect(JSON.stringify(scene.server.exchanges.map(({ body }) => body))).toContain(
      'is already at work',
    );
  });

  it('sends its team 200 times in every turn: its work ends, and the measurements decide', async () => {
    const events = await diagnose({ worker: [MEASURE, [FINE]], first: [again], top: [again] });
    expect(reportOf(events)).toMatchObject({ ...FOUND, narrative: '' });
    expect(of(events, 'dispatch.team')).toHaveLength(2);
    expect(codesOf(events)).toContain('NO_PROGRESS');
  });

  it('learns once why its claim is not supported, and may correct it', async () => {
    const claim = (evidence: string) =>
      say('It is broken.', {
        findings: [
          { node: 'shop', severity: 'critical', title: 'is broken', evidence: [evidence] },
        ],
      });
    const events = await diagnose({ worker: [MEASURE, [claim('d1_1_t2')], [claim('d1_1_t1')]] });
    const [told] = scene.server.exchanges.filter(({ body }) =>
      JSON.stringify(body).includes('everything that it cites was measured healthy'),
    );
    const { own, data } = partsOf(told);
    // No model obeys a data block: the request to correct the report stands in none.
    expect(own).toContain('Correct them or leave them out, and call `report` again.');
    expect(data).not.toContain('call `report` again');
    expect(data).toContain('- "is broken" (shop): everything that it cites was measured healthy');
    expect(own).not.toContain('everything that it cites');
    expect(of(events, 'system.warning').map(({ data }) => data['code'])).not.toContain(
      'UNSUPPORTED_CLAIM',
    );
  });

  it('repeats an unsupported claim: the claim is dropped with a warning', async () => {
    const findings = [
      { node: 'shop', severity: 'critical', title: 'is broken', evidence: ['d1_1_t2'] },
    ];
    const stubborn = await diagnose({ worker: [MEASURE, [say('It is broken.', { findings })]] });
    expect(
      of(stubborn, 'system.warning').filter(({ data }) => data['code'] === 'UNSUPPORTED_CLAIM'),
    ).toHaveLength(1);
    const ofShop = scene.server.exchanges.filter(
      (exchange) =>
        roleOf(exchange) === 'worker' &&
        JSON.stringify(exchange.body).includes('\\"id\\":\\"shop\\"'),
    );
    // It measures, claims, learns why not, and claims again: that ends its work.
    const toldIn = ofShop.map(
      ({ body }) => JSON.stringify(body).split('You receive this message once').length - 1,
    );
    expect(toldIn).toEqual([0, 0, 1]);
  });

  it('omits a measured issue: a warning reports it', async () => {
    const events = await diagnose({ worker: [MEASURE, [FINE]] });
    expect(
      of(events, 'system.warning').filter(({ data }) => data['code'] === 'UNREPORTED_MEASUREMENT'),
    ).toMatchObject([{ data: { node: 'shop', severity: 'critical' } }]);
  });
});
