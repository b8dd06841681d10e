import { describe, expect, it } from '@jest/globals';
import { issue, measured, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../../prompts/prompt-files.js';
import type { TopologyNode } from '../../topology/topology.js';
import { concludeRun } from '../conclude-run.js';

describe('a list of next steps that ends', () => {
  const many = Array.from({ length: 27 }, (_, i): TopologyNode => {
    return { id: `n${i}`, name: `N${i}`, kind: 'service', dependsOn: [], attributes: {} };
  });
  const { nextSteps } = new PromptFiles().prompts;

  it('names the failures that have no steps', () => {
    const failed = many.map(({ id }, i) => measured(i + 1, id, [issue()]));
    const { report: made } = concludeRun({ ...SHOP, nodes: many }, failed, [], { nextSteps });
    const steps = made.next_steps;
    const countOf = (id: string) => steps.filter(({ node }) => node === id).length;
    const counts = many.map(({ id }) => countOf(id)).toSorted((a, b) => b - a);
    expect(counts[4]).toBeGreaterThan(1);
    expect(counts.slice(5)).toEqual([...Array<number>(20).fill(1), 0, 0]);
    expect(steps.at(-2)?.text).toMatch(
      /^Only the first step is given for 20 failures; diagnose their nodes separately to get the others: N\d+, /,
    );
    expect(steps.at(-1)?.text).toMatch(
      /^2 more failures have no steps here; diagnose their nodes separately to get them: N\d+, N\d+\.$/,
    );
  });

  it('names the nodes that were not checked in one step, up to a bound', () => {
    const { report: made } = concludeRun({ ...SHOP, nodes: many }, [], [], { nextSteps });
    expect(made.next_steps).toHaveLength(1);
    expect(made.next_steps[0]).toMatchObject({
      text: expect.stringMatching(
        /^Check by hand, or give it a kind that a tool measures: N0, N1, .* N18, N19 and 7 more\.$/,
      ) as unknown,
      nodes: many.slice(0, 20).map(({ id }) => id),
    });
  });

  it('says how to have a node measured to which no worker was sent', () => {
    const workers = [{ agentId: '2', name: 'Look at web', node: 'web', tools: ['http_probe'] }];
    const teams = [{ agentId: '1', name: 'Team', workers }] as unknown as typeof SHOP.teams;
    const nodes = SHOP.nodes.filter(({ id }) => id === 'web');
    const { report: made } = concludeRun({ ...SHOP, nodes, teams }, [], [], { nextSteps });
    expect(made.next_steps.map(({ text }) => text)).toEqual([
      'Diagnose again with a question that names no other node, or check by hand: WEB.',
    ]);
  });

  it('has a step for each right that is missing, and one for all nodes without a reason of their own', () => {
    const hidden = (node: string, right: string, sequence: number) =>
      measured(sequence, node, [], { status: 'unavailable', code: 'FORBIDDEN', summary: right });
    const { report: made } = concludeRun(
      { ...SHOP, nodes: many.slice(0, 5) },
      [hidden('n0', 'It lacks SELECT.', 1), hidden('n1', 'It lacks PROCESS.', 2)],
      [],
      { nextSteps },
    );
    expect(made.next_steps.map(({ text, node, nodes }) => [text, node ?? nodes])).toEqual([
      ['Give the diagnosis the right to read: N0. It lacks SELECT.', 'n0'],
      ['Give the diagnosis the right to read: N1. It lacks PROCESS.', 'n1'],
      ['Check by hand, or give it a kind that a tool measures: N2, N3 and N4.', ['n2', 'n3', 'n4']],
    ]);
  });

  it('says how the quarantine of a node is lifted', () => {
    const why = 'db:5432 is quarantined; DELETE /tools/quarantine/db:5432 lifts that';
    const quarantined = { status: 'unavailable', code: 'NODE_QUARANTINED', summary: why } as const;
    const { report: made } = concludeRun(
      { ...SHOP, nodes: many.slice(0, 1) },
      [measured(1, 'n0', [], quarantined)],
      [],
      { nextSteps },
    );
    expect(made.next_steps[0]?.text).toBe(
      `Find out what answers there, then lift the quarantine: N0. ${why}`,
    );
  });

  it('gives the right that is missing and its remedy in whole', () => {
    const right = `It wants a password. ${'Set a variable in its environment. '.repeat(10).trim()}`;
    const hidden = { status: 'unavailable', code: 'FORBIDDEN', summary: right } as const;
    const { report: made } = concludeRun(
      { ...SHOP, nodes: many.slice(0, 1) },
      [measured(1, 'n0', [], hidden)],
      [],
      { nextSteps },
    );
    expect(made.next_steps[0]?.text).toBe(`Give the diagnosis the right to read: N0. ${right}`);
  });

  it('points to the reasons of nodes that tools could not measure, which the report gives', () => {
    const { report: made } = concludeRun(
      { ...SHOP, nodes: many.slice(0, 2) },
      ['n0', 'n1'].map((node, i) =>
        measured(i + 1, node, [], { status: 'unavailable', summary: `set the address of ${node}` }),
      ),
      [],
      { nextSteps },
    );
    expect(made.unchecked.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/ could not measure: set the address of n0$/),
      expect.stringMatching(/ could not measure: set the address of n1$/),
    ]);
    expect(made.next_steps.map(({ text, nodes }) => [text, nodes])).toEqual([
      [
        'Fix what the report gives as the reason that tools could not measure: N0 and N1.',
        ['n0', 'n1'],
      ],
    ]);
  });

  it('gives nodes more time that a run had no time for', () => {
    const late = { status: 'unavailable', summary: 'Its time was up.', code: 'LIMIT_REACHED' };
    const { report: made } = concludeRun(
      { ...SHOP, nodes: many.slice(0, 1) },
      [measured(1, 'n0', [], late as never)],
      [],
      { nextSteps },
    );
    expect(made.next_steps.map(({ text }) => text)).toEqual([
      'Diagnose again with a higher limit `timeoutSeconds`, or separately from the others: N0.',
    ]);
  });

  it('has the steps of two failures of one node that differ', () => {
    const both = [{ title: 'answers 404', steps: 'no-path' }, {}].map((said) =>
      issue({ kind: 'wrong-address', ...said }),
    );
    const [first] = both;
    const countOf = (issues: typeof both) =>
      concludeRun(
        { ...SHOP, nodes: many.slice(0, 1) },
        [
          measured(
            1,
            'n0',
            issues.map((each) => ({ ...each, symptom: 'advisory' })),
          ),
        ],
        [],
        { nextSteps },
      ).report.next_steps.length;
    expect(countOf(both)).toBeGreaterThan(countOf(first ? [first] : []));
  });
});
