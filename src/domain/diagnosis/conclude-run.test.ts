import { describe, expect, it } from '@jest/globals';
import {
  ALL_WELL,
  claim,
  issue,
  measured,
  report,
  SHOP,
} from '../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../prompts/prompt-files.js';
import { concludeRun } from './conclude-run.js';
import type { Finding } from './finding.js';
import type { Issue } from './tool-result.js';

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

  it('decides the kind of a failure before the words of the node do', () => {
    const detail = '3 of 3 tries failed. It said: "No space left on device".';
    const kindWith = (...others: Issue[]) =>
      concludeRun(
        SHOP,
        [
          measured(5, 'api', [issue({ detail })]),
          measured(6, 'api', others, { tool: 'process_check' }),
        ],
        [],
      ).report.root_causes[0]?.kind;
    expect(kindWith()).toBe('disk-full');
    expect(kindWith(issue({ title: 'no such process', kind: 'crash' }))).toBe('crash');
    expect(kindWith(issue({ title: 'is full', kind: 'out-of-memory' }))).toBe('out-of-memory');
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
    expect(made.candidates.map((candidate) => candidate.node)).toEqual(['web', 'db']);
    expect(made.counts).toMatchObject({ critical: 1, info: 1 });
  });
});

describe('the report', () => {
  it('says healthy only when every node was measured', () => {
    const { report: made } = concludeRun(SHOP, ALL_WELL, []);
    expect(made).toMatchObject({ verdict: 'healthy', impact: 'No node is affected.' });
    expect(made.headline).toBe(
      'Healthy: all 3 nodes were measured, and nothing is wrong with them. Of DB it was only measured that it answers, not that it works.',
    );
    const reached = made.nodes.filter((each) => each.reached_only);
    expect(reached).toEqual([{ node: 'db', state: 'healthy', reached_only: true }]);
    const { report: less } = concludeRun(SHOP, ALL_WELL.slice(1), [report([])]);
    expect(less).toMatchObject({
      verdict: 'inconclusive',
      unchecked: [{ node: 'web', reason: 'NOT_MEASURED' }],
      impact: 'No checked node is affected; 1 was not checked.',
    });
    expect(concludeRun(SHOP, [], []).report.impact).toBe('Not known: no node was checked.');
  });

  it('has one order of suspects: its root causes, then those of the latest ranking', () => {
    const cause = (node: string, score: number) => ({
      node,
      score,
      kind: 'config' as const,
      title: 'was misconfigured',
      confidence: 0.6,
      for: [],
      against: [],
    });
    const ranking = (sequence: number, ...nodes: string[]) =>
      measured(sequence, 'web', [], {
        tool: 'rank_root_causes',
        ranking: { causes: nodes.map((each, i) => cause(each, 4 - i)), rejected: [] },
      });
    const all = [ranking(8, 'db'), ranking(9, 'api', 'db'), measured(4, 'web', [issue()])];
    const { report: made } = concludeRun(SHOP, all, []);
    expect(made.root_causes.map((each) => each.node)).toEqual(['api', 'web']);
    expect(made.candidates.map((each) => each.node)).toEqual(['api', 'web', 'db']);
    const scores = made.candidates.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(concludeRun(SHOP, all.toReversed(), []).report).toEqual(made);
  });

  it('takes no independent fault into the chain of another', () => {
    const expired = issue({ symptom: 'invalid', title: 'certificate has expired' });
    const slow = issue({ symptom: 'slow', severity: 'warning', title: 'answers in 1400 ms' });
    const { report: made } = concludeRun(
      SHOP,
      [
        measured(4, 'web', [{ ...slow, took_ms: 1_400 }]),
        measured(5, 'api', [{ ...slow, took_ms: 1_390 }]),
        measured(6, 'db', [expired]),
      ],
      [],
    );
    expect(made.root_causes.map(({ node, chain }) => [node, chain])).toEqual([
      ['db', ['db']],
      ['api', ['web', 'api']],
    ]);
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

  it('is complete for a root cause', () => {
    const refused = issue({ symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' });
    const { report: made } = concludeRun(
      SHOP,
      [measured(4, 'web', [issue()]), measured(5, 'api', [issue()]), measured(6, 'db', [refused])],
      [report([], { dispatchId: null, agentId: '1', summary: 'The database is down.' })],
      { nextSteps: new PromptFiles().prompts.nextSteps },
    );
    expect(made.headline).toBe('DB is the root cause: connection refused (ECONNREFUSED).');
    expect(made.root_causes).toMatchObject([
      { node: 'db', kind: 'unreachable', confidence: 0.93, chain: ['web', 'api', 'db'] },
    ]);
    expect(made.nodes).toEqual([
      { node: 'web', state: 'downstream' },
      { node: 'api', state: 'downstream' },
      { node: 'db', state: 'failed' },
    ]);
    expect(made.impact).toBe('WEB and API are affected by it.');
    expect(made.candidates).toEqual([
      { node: 'db', score: 0.93 },
      { node: 'web', score: 0.2 },
      { node: 'api', score: 0.2 },
    ]);
    expect(made.citations.map(({ sequence }) => sequence)).toEqual([4, 5, 6]);
    expect(made.next_steps.map(({ access }) => access)).toEqual(['read', 'read', 'change']);
    expect(made.narrative).toBe('The database is down.');
  });

  describe('C6: of a failing answer that names a dependency', () => {
    const detail =
      'connection to server at "127.0.0.1", port 55432 failed: FATAL: remaining connection slots are reserved';
    const mentions = [{ node: 'db', endpoint: '127.0.0.1:55432', failure: detail }];
    const blaming = measured(5, 'api', [issue({ detail })], { mentions });
    const hint = { node: 'db', severity: 'info', via: 'api', evidence: [5] };

    it.each([
      ['not measured', []],
      ['reached only by its port', [measured(6, 'db')]],
    ])('selects the node that was measured, and passes the hint on: dependency %s', (_, db) => {
      const { report: made } = concludeRun(SHOP, [measured(4, 'web'), blaming, ...db], []);
      expect(made.root_causes).toMatchObject([{ node: 'api', not_excluded: [{ node: 'db' }] }]);
      expect(made.findings.find((f) => f.node === 'db')).toMatchObject({
        ...hint,
        title: 'API reports that DB has no free connections',
      });
      expect(made.candidates).toEqual([
        { node: 'api', score: made.root_causes[0]?.confidence },
        { node: 'db', score: 0.3 },
      ]);
      expect(made.counts.critical).toBe(1);
    });

    it('says nothing about a dependency that was measured itself', () => {
      const service = measured(6, 'db', [], { measures: 'service' });
      const { report: made } = concludeRun(SHOP, [blaming, service], []);
      expect(made.findings.map((f) => f.node)).toEqual(['api']);
    });

    it('selects the dependency that was measured to fail', () => {
      const full = issue({ symptom: 'saturated', title: 'all client connections are in use' });
      const { report: made } = concludeRun(SHOP, [blaming, measured(6, 'db', [full])], []);
      expect(made.root_causes).toMatchObject([{ node: 'db', chain: ['api', 'db'] }]);
    });
  });

  it('reports that the dependency of a gateway is healthy', () => {
    const gateway = measured(4, 'web', [
      issue({ title: 'answers 502 Bad Gateway', http_status: 502 }),
    ]);
    const { report: made } = concludeRun(
      SHOP,
      [gateway, measured(5, 'api'), measured(6, 'db')],
      [],
    );
    expect(made.root_causes).toMatchObject([{ node: 'web', kind: 'wrong-address' }]);
    expect(made.headline).toContain('cannot reach API, which is healthy');
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
    const { report: made } = concludeRun(SHOP, [measured(5, 'api', [issue()])], [], {
      ended: 'cut',
    });
    expect(made).toMatchObject({ verdict: 'issues_found', root_causes: [] });
    expect(made.candidates[0]).toMatchObject({ node: 'api' });
    expect(concludeRun(SHOP, ALL_WELL, [], { ended: 'cut' }).report.verdict).toBe('inconclusive');
  });
});
