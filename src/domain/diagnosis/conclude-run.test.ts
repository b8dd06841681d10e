import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Topology, TopologyNode } from '../topology/topology.js';
import type { AgentReport } from './agent-report.js';
import { concludeRun } from './conclude-run.js';
import { SYMPTOMS, type Finding } from './finding.js';
import type { MeasuredIssue, Measurement } from './measurement.js';

const node = (id: string, kind: string, ...dependsOn: string[]): TopologyNode => ({
  ...{ id, name: id.toUpperCase(), kind, dependsOn, attributes: {} },
  ...(id === 'db' && { endpoint: 'tcp://127.0.0.1:55432' }),
});

/** web → api → db */
const SHOP: Topology = {
  id: 1,
  name: 'Shop',
  nodes: [node('web', 'service', 'api'), node('api', 'service', 'db'), node('db', 'tcp')],
  globalSupervisor: { agentId: '1', name: 'Top' },
  teams: [
    {
      name: 'All',
      nodes: ['web', 'api', 'db'],
      supervisor: { agentId: '2', name: 'Lead' },
      workers: [
        { agentId: '3', name: 'Web', node: 'web', tools: ['http_probe'] },
        { agentId: '4', name: 'Api', node: 'api', tools: ['http_probe'] },
        { agentId: '5', name: 'Db', node: 'db', tools: ['tcp_probe'] },
      ],
    },
  ],
};

const issue = (over: Partial<MeasuredIssue> = {}): MeasuredIssue => ({
  ...{ severity: 'critical', symptom: 'erroring' },
  ...{ title: 'answers 500 Internal Server Error', detail: '3 of 3 tries failed.' },
  ...over,
});
const measured = (
  sequence: number,
  of: string,
  issues: MeasuredIssue[] = [],
  over: Partial<Measurement> = {},
): Measurement => ({
  ...{ sequence, node: of, issues, tool: of === 'db' ? 'tcp_probe' : 'http_probe' },
  ...{ at: '2026-11-22T10:00:00.000Z', subject: '', unreliable: false, summary: `looked at ${of}` },
  status: issues.some(({ severity }) => severity === 'critical')
    ? 'failed'
    : issues.length > 0
      ? 'degraded'
      : 'ok',
  ...over,
});
const claim = (over: Partial<Finding> = {}): Finding => ({
  ...{ node: 'api', severity: 'critical', title: 'is broken', detail: '', evidence: [5] },
  ...over,
});
const report = (findings: Finding[], over: Partial<AgentReport> = {}): AgentReport => ({
  ...{ agentId: '4', dispatchId: 'd1_2', status: 'ok', reasons: [], summary: '', findings },
  ...over,
});
const ALL_WELL = [measured(4, 'web'), measured(5, 'api'), measured(6, 'db')];

describe('a measured issue', () => {
  it('is a finding though every agent says that all is well', () => {
    const { report: made, unreported } = concludeRun(
      SHOP,
      [measured(4, 'web'), measured(5, 'api', [issue()]), measured(6, 'db')],
      [report([], { summary: 'Everything is fine.' })],
    );
    expect(made.verdict).toBe('root_cause_found');
    expect(made.findings).toMatchObject([
      { node: 'api', severity: 'critical', origin: 'measured', evidence: [5], kind: 'exception' },
    ]);
    expect(unreported).toHaveLength(1);
  });

  it('stays the finding where an agent says it in other words, which are kept as its explanation', () => {
    const { report: made, unreported } = concludeRun(
      SHOP,
      [measured(5, 'api', [issue()])],
      [report([claim({ title: 'its pool is empty', detail: 'Seen in the body.' })])],
    );
    expect(made.findings).toMatchObject([
      {
        title: 'answers 500 Internal Server Error',
        explanation: 'its pool is empty. Seen in the body.',
      },
    ]);
    expect(unreported).toEqual([]);
  });

  it('of several subjects has the worst severity of them', () => {
    const about = (subject: string, severity: 'info' | 'warning') =>
      measured(severity === 'info' ? 5 : 6, 'api', [issue({ severity, symptom: 'invalid' })], {
        subject,
      });
    const { report: made } = concludeRun(SHOP, [about('/a', 'info'), about('/b', 'warning')], []);
    expect(made.findings).toMatchObject([{ severity: 'warning', evidence: [5, 6] }]);
  });

  it('is not reported by an information that cites it', () => {
    const { unreported } = concludeRun(
      SHOP,
      [measured(5, 'api', [issue()])],
      [report([claim({ severity: 'info', title: 'works as intended' })])],
    );
    expect(unreported).toHaveLength(1);
  });

  it('is overruled by a later measurement of the same subject only, and leaves an information', () => {
    const first = measured(5, 'api', [issue()], { subject: '{"path":"/a"}' });
    const other = measured(7, 'api', [], { subject: '{"path":"/b"}' });
    expect(concludeRun(SHOP, [first, other], []).report.counts.critical).toBe(1);
    const again = measured(8, 'api', [], { subject: '{"path":"/a"}' });
    const { report: made } = concludeRun(SHOP, [again, other, first], []);
    expect(made.counts).toEqual({ critical: 0, warning: 0, info: 1 });
    expect(made.findings[0]?.evidence).toEqual([5, 8]);
  });

  it('that an agent dismisses stays a finding, with the reason', () => {
    const { report: made } = concludeRun(
      SHOP,
      [measured(5, 'api', [issue()])],
      [report([], { dismissed: [{ sequence: 5, reason: 'a planned test' }] })],
    );
    expect(made.findings[0]?.detail).toContain('"a planned test"');
    expect(made.verdict).toBe('root_cause_found');
  });

  it('is no finding by itself where it is about time and the prober was short of processor time', () => {
    const slow = issue({ symptom: 'slow', severity: 'warning', title: 'answers in 4000 ms' });
    const lagging = measured(5, 'api', [slow], { unreliable: true });
    const { report: made } = concludeRun(
      SHOP,
      [measured(4, 'web'), lagging, measured(6, 'db')],
      [],
    );
    expect(made.findings).toEqual([]);
    expect(made.unchecked).toMatchObject([{ node: 'api', reason: 'UNRELIABLE' }]);
    expect(made.verdict).toBe('inconclusive');
    const refused = measured(
      5,
      'api',
      [issue({ symptom: 'unreachable', title: 'connection refused' })],
      {
        unreliable: true,
      },
    );
    expect(concludeRun(SHOP, [refused], []).report.counts.critical).toBe(1);
  });

  it('about time that is not reliable leaves a node unchecked though its port accepts', () => {
    const slow = issue({ symptom: 'slow', title: 'no answer within 10000 ms', tookMs: 10_000 });
    const made = (...more: Measurement[]) =>
      concludeRun(
        SHOP,
        [
          ...[measured(4, 'web'), measured(6, 'db')],
          measured(5, 'api', [slow], { unreliable: true }),
          measured(7, 'api', [], { tool: 'tcp_probe' }),
          ...more,
        ],
        [],
      ).report;
    expect(made().unchecked).toMatchObject([{ node: 'api', reason: 'UNRELIABLE' }]);
    expect(made().verdict).toBe('inconclusive');
    expect(made(measured(8, 'api')).verdict).toBe('healthy');
  });
});

describe('a claim', () => {
  const droppedOf = (finding: Partial<Finding>, measurements = ALL_WELL) =>
    concludeRun(SHOP, measurements, [report([claim(finding)])]).dropped.map(({ why }) => why);

  it('must be about a node of the topology, with evidence that exists', () => {
    expect(droppedOf({ node: 'moon' })[0]).toMatch(/no node "moon"/);
    expect(droppedOf({ evidence: [99] })[0]).toMatch(/no measurement of this run/);
  });

  it('must rest on its node or a direct neighbour', () => {
    expect(droppedOf({ node: 'web', evidence: [6] })[0]).toMatch(/another node/);
    expect(droppedOf({ node: 'web', evidence: [5], severity: 'info' })).toEqual([]);
  });

  it('of a failure must cite something that is not healthy', () => {
    expect(droppedOf({})[0]).toMatch(/measured healthy/);
    expect(droppedOf({ severity: 'info' })).toEqual([]);
    const hint = measured(5, 'api', [issue({ severity: 'info', symptom: 'advisory' })]);
    expect(droppedOf({}, [hint])[0]).toMatch(/measured healthy/);
  });

  it('about a healthy neighbour is kept as a claim, and changes no root cause', () => {
    const measurements = [measured(4, 'web', [issue()]), measured(5, 'api')];
    const { report: made } = concludeRun(SHOP, measurements, [
      report([claim({ node: 'api', evidence: [4] })]),
    ]);
    expect(made.root_causes.map((cause) => cause.node)).toEqual(['web']);
    expect(made.findings.find((f) => f.node === 'api')).toMatchObject({ origin: 'agent' });
    expect(made.candidates.map((candidate) => candidate.node)).toEqual(['web', 'api', 'db']);
  });
});

describe('the report', () => {
  it('says healthy only when every node was measured', () => {
    const { report: made } = concludeRun(SHOP, ALL_WELL, []);
    expect(made).toMatchObject({ verdict: 'healthy', impact: 'No node is affected.' });
    expect(made.headline).toBe(
      'Healthy: all 3 nodes were measured, and nothing is wrong with them.',
    );
    const { report: less } = concludeRun(SHOP, ALL_WELL.slice(1), [report([])]);
    expect(less).toMatchObject({
      verdict: 'inconclusive',
      unchecked: [{ node: 'web', reason: 'NOT_MEASURED' }],
    });
  });

  it('calls the root cause of a ranking failed, though its own measurement was well', () => {
    const cause = { node: 'api', kind: 'config' as const, title: 'was misconfigured', score: 4 };
    const ranking = measured(9, 'web', [], {
      tool: 'rank_root_causes',
      ranking: { causes: [{ ...cause, confidence: 0.8, for: [], against: [] }], rejected: [] },
    });
    const { report: made } = concludeRun(SHOP, [...ALL_WELL, ranking], []);
    expect(made.root_causes).toMatchObject([{ node: 'api' }]);
    expect(made.nodes[1]).toEqual({ node: 'api', state: 'failed' });
  });

  it('takes what was read of the whole system for no measurement of a node', () => {
    const changes = measured(4, 'web', [], { tool: 'recent_changes' });
    const { report: made } = concludeRun(SHOP, [changes, ...ALL_WELL.slice(1)], []);
    expect(made.unchecked).toMatchObject([{ node: 'web', reason: 'NOT_MEASURED' }]);
  });

  it.each<[string, Measurement[], AgentReport[], string]>([
    ['the agent failed', [], [report([], { agentId: '3', status: 'failed' })], 'AGENT_FAILED'],
    [
      'a tool failed',
      [measured(4, 'web', [], { status: 'unavailable' })],
      [],
      'SOURCE_UNAVAILABLE',
    ],
    ['a tool was denied', [measured(4, 'web', [], { status: 'denied' })], [], 'FORBIDDEN'],
    ['nothing was measured', [], [report([], { agentId: '3' })], 'NOT_MEASURED'],
    [
      'a tool gave its own code',
      [measured(4, 'web', [], { status: 'unavailable', code: 'NODE_QUARANTINED' })],
      [],
      'NODE_QUARANTINED',
    ],
  ])('names why a node is unchecked: %s', (_, measurements, reports, reason) => {
    const { unchecked } = concludeRun(SHOP, measurements, reports).report;
    expect(unchecked.find((each) => each.node === 'web')?.reason).toBe(reason);
  });

  it('is complete for a root cause', () => {
    const refused = issue({ symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' });
    const { report: made } = concludeRun(
      SHOP,
      [measured(4, 'web', [issue()]), measured(5, 'api', [issue()]), measured(6, 'db', [refused])],
      [report([], { dispatchId: null, agentId: '1', summary: 'The database is down.' })],
    );
    expect(made.headline).toBe('Root cause: DB: connection refused (ECONNREFUSED).');
    expect(made.root_causes).toMatchObject([
      { node: 'db', kind: 'unreachable', confidence: 0.93, chain: ['web', 'api', 'db'] },
    ]);
    expect(made.nodes).toEqual([
      { node: 'web', state: 'downstream' },
      { node: 'api', state: 'downstream' },
      { node: 'db', state: 'failed' },
    ]);
    expect(made.impact).toBe('WEB and API suffer from it.');
    expect(made.citations.map(({ sequence }) => sequence)).toEqual([4, 5, 6]);
    expect(made.next_steps.map(({ access }) => access)).toEqual(['read', 'read', 'change']);
    expect(made.narrative).toBe('The database is down.');
  });

  it('finds the dependency that an error names, where only its port was reached', () => {
    const detail =
      'connection to server at "127.0.0.1", port 55432 failed: FATAL: remaining connection slots are reserved';
    const mentions = [{ node: 'db', endpoint: '127.0.0.1:55432', failure: detail }];
    const { report: made } = concludeRun(
      SHOP,
      [
        measured(4, 'web'),
        measured(5, 'api', [issue({ detail })], { mentions }),
        measured(6, 'db'),
      ],
      [],
    );
    expect(made.root_causes).toMatchObject([
      { node: 'db', title: 'DB: API reports that DB has no free connections' },
    ]);
    expect(made.root_causes[0]?.kind).toBe('connection-pool-exhausted');
    expect(made.root_causes[0]?.confidence).toBeLessThan(0.8);
  });

  it('says of a gateway that its dependency is well', () => {
    const gateway = measured(4, 'web', [issue({ title: 'answers 502 Bad Gateway' })]);
    const { report: made } = concludeRun(
      SHOP,
      [gateway, measured(5, 'api'), measured(6, 'db')],
      [],
    );
    expect(made.root_causes).toMatchObject([{ node: 'web', kind: 'wrong-address' }]);
    expect(made.headline).toContain('cannot reach API, which is well');
  });

  it('does not exclude a dependency that was only touched', () => {
    const [cause] = concludeRun(
      SHOP,
      [measured(4, 'web'), measured(5, 'api', [issue()]), measured(6, 'db')],
      [],
    ).report.root_causes;
    expect(cause).toMatchObject({ node: 'api', not_excluded: [{ node: 'db' }] });
  });

  it('of a run that was cut names no root cause', () => {
    const { report: made } = concludeRun(SHOP, [measured(5, 'api', [issue()])], [], 'cut');
    expect(made).toMatchObject({ verdict: 'issues_found', root_causes: [] });
    expect(made.candidates[0]).toMatchObject({ node: 'api' });
    expect(concludeRun(SHOP, ALL_WELL, [], 'cut').report.verdict).toBe('inconclusive');
  });
});

describe('whatever agents and tools say', () => {
  const ids = ['web', 'api', 'db'];
  const anyIssue = fc.record({
    severity: fc.constantFrom('critical' as const, 'warning' as const, 'info' as const),
    symptom: fc.constantFrom(...SYMPTOMS),
    title: fc.constantFrom('answers 500', 'answers in 1400 ms', 'connection refused', 'is full'),
    detail: fc.constantFrom('', 'db: connection refused', 'API timed out', 'port 55432 failed'),
  });
  const anyMeasurement = fc.record({
    node: fc.constantFrom(...ids),
    tool: fc.constantFrom('http_probe', 'tcp_probe', 'redis_inspect'),
    subject: fc.constantFrom('', '/a'),
    issues: fc.array(anyIssue, { maxLength: 2 }),
    unreliable: fc.boolean(),
    mentions: fc.array(
      fc.record({
        node: fc.constantFrom(...ids),
        endpoint: fc.constant('db'),
        failure: fc.constantFrom('connection refused', 'timed out', 'FATAL'),
      }),
      { maxLength: 2 },
    ),
    took: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
  });
  const measurements = fc.array(anyMeasurement, { maxLength: 8 }).map((all) =>
    all.map(({ issues, took, ...rest }, i) =>
      measured(
        i + 10,
        rest.node,
        issues.map((each) => ({ ...each, ...(took !== undefined && { tookMs: took }) })),
        rest,
      ),
    ),
  );
  const anyClaim = fc.record({
    node: fc.oneof(fc.constantFrom(...ids), fc.string()),
    severity: fc.constantFrom('critical' as const, 'warning' as const, 'info' as const),
    title: fc.oneof(fc.constantFrom('answers 500', 'all is well'), fc.string()),
    detail: fc.string(),
    evidence: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
    symptom: fc.constantFrom(...SYMPTOMS),
  });
  const reports = fc.array(
    fc.record({
      agentId: fc.constantFrom('1', '2', '3', '4', '5'),
      dispatchId: fc.constantFrom('d1', 'd1_1', 'd1_2', 'd1_10', 'd2_1'),
      status: fc.constantFrom('ok' as const, 'partial' as const, 'failed' as const, null),
      reasons: fc.array(fc.constantFrom('LIMIT_REACHED', 'TOOL_FAILED')),
      summary: fc.string(),
      findings: fc.array(anyClaim, { maxLength: 4 }),
      dismissed: fc.array(
        fc.record({ sequence: fc.integer({ min: 1, max: 20 }), reason: fc.string() }),
      ),
    }),
    { maxLength: 5 },
  );

  it('no report can remove a measured failure, or change the root causes', () => {
    fc.assert(
      fc.property(measurements, reports, (all, told) => {
        const silent = concludeRun(SHOP, all, []).report;
        const { report: made } = concludeRun(SHOP, all, told);
        const seen = (of: typeof made) =>
          of.findings
            .filter((f) => f.origin === 'measured')
            .map(({ node: id, severity, title, evidence }) => ({ id, severity, title, evidence }));
        expect(seen(made)).toEqual(seen(silent));
        expect(made.root_causes).toEqual(silent.root_causes);
        expect(made.nodes).toEqual(silent.nodes);
        if (silent.verdict === 'root_cause_found') expect(made.verdict).toBe(silent.verdict);
        if (made.verdict === 'healthy') expect(silent.verdict).toBe('healthy');
      }),
      { numRuns: 400 },
    );
  });

  it('a measurement that shows a node healthy makes no verdict more confident in that node', () => {
    fc.assert(
      fc.property(
        measurements,
        anyMeasurement,
        fc.integer({ min: 1, max: 30 }),
        (all, more, at) => {
          // A tool that only reaches the transport does not show that a node is healthy.
          const healthy = measured(at * 2 + 1, more.node, [], {
            ...more,
            tool: 'http_probe',
            issues: [],
            status: 'ok',
          });
          const confidenceOf = (some: Measurement[]) =>
            concludeRun(SHOP, some, []).report.root_causes.find((cause) => cause.node === more.node)
              ?.confidence ?? 0;
          const spread = all.map((each) => ({ ...each, sequence: each.sequence * 2 }));
          expect(confidenceOf([...spread, healthy])).toBeLessThanOrEqual(confidenceOf(spread));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('the order of measurements and reports does not matter', () => {
    fc.assert(
      fc.property(measurements, reports, (all, told) => {
        const unique = [...new Map(told.map((each) => [each.dispatchId, each])).values()];
        expect(concludeRun(SHOP, all.toReversed(), unique.toReversed())).toEqual(
          concludeRun(SHOP, all, unique),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('every claim that it makes is cited, and every node has a state', () => {
    fc.assert(
      fc.property(measurements, reports, (all, told) => {
        const { report: made } = concludeRun(SHOP, all, told);
        const cited = new Set(made.citations.map(({ sequence }) => sequence));
        for (const { evidence } of [...made.root_causes, ...made.findings])
          for (const sequence of evidence) expect(cited.has(sequence)).toBe(true);
        expect(made.nodes.map((each) => each.node)).toEqual(ids);
        expect(made.candidates.slice(0, made.root_causes.length).map((each) => each.node)).toEqual(
          made.root_causes.map((cause) => cause.node),
        );
      }),
    );
  });
});
