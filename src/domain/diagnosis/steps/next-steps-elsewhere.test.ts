import { describe, expect, it } from '@jest/globals';
import { issue, measured, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../../prompts/prompt-files.js';
import type { TopologyNode } from '../../topology/topology.js';
import { concludeRun } from '../conclude-run.js';

it('a downstream node at which nothing listens has its own first look', () => {
  const refused = issue({ symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' });
  const all = [measured(4, 'web', [refused]), measured(5, 'api', [issue()]), measured(6, 'db')];
  const { report } = concludeRun(SHOP, all, [], {
    nextSteps: new PromptFiles().prompts.nextSteps,
  });
  expect(report.root_causes.map(({ node }) => node)).toEqual(['api']);
  expect(report.next_steps.filter(({ node }) => node === 'web')).toMatchObject([
    { text: 'Check whether the process of WEB runs and listens on that port.', access: 'read' },
  ]);
});

describe('a failing answer that names a dependency', () => {
  const detail = 'connection to server failed: FATAL: remaining connection slots are reserved';
  const mentions = [{ node: 'db', endpoint: '127.0.0.1:5432', failure: detail }];
  const blaming = measured(5, 'api', [issue({ detail })], { mentions });
  const stepsWith = (db: ReturnType<typeof measured>[]) =>
    concludeRun(SHOP, [measured(4, 'web'), blaming, ...db], [], {
      nextSteps: new PromptFiles().prompts.nextSteps,
    }).report.next_steps;

  it('leads to the dependency first, if only its port was measured', () => {
    const [first, second] = stepsWith([measured(6, 'db')]);
    expect(first).toMatchObject({
      text: 'Look at DB first: API reports that DB has no free connections.',
      node: 'db',
      access: 'read',
    });
    expect(second).toMatchObject({ node: 'db', access: 'read' });
    const own = stepsWith([measured(6, 'db')]).filter(({ node }) => node === 'db');
    expect(new Set(own.map(({ access }) => access))).toEqual(new Set(['read']));
  });

  it('has the steps of what it says for the dependency alone', () => {
    const looks = stepsWith([measured(6, 'db')]).filter(({ text }) => !text.startsWith('Look at'));
    const nodesOf = (pattern: RegExp) =>
      looks.filter(({ text }) => pattern.test(text)).map(({ node }) => node);
    expect(new Set(nodesOf(/connections/))).toEqual(new Set(['db']));
    expect(nodesOf(/the failing request/)).toEqual(['api']);
  });

  it('has the steps of a refused credential for the node that sends it', () => {
    const said = 'connection to server failed: password authentication failed for user "app"';
    const refused = measured(5, 'api', [issue({ detail: `It said: "${said}".` })], {
      mentions: [{ node: 'db', endpoint: '127.0.0.1:5432', failure: said }],
    });
    const { report: made } = concludeRun(
      SHOP,
      [measured(4, 'web'), refused, measured(6, 'db')],
      [],
      {
        nextSteps: new PromptFiles().prompts.nextSteps,
      },
    );
    expect(made.next_steps[0]?.text).toBe(
      'Look at DB first: API reports that DB refuses the credentials.',
    );
    expect(made.next_steps.find(({ node }) => node === 'api')?.text).toContain(
      'check which one API sends there',
    );
  });

  it('names the dependencies of which no steps are given, since their number is bounded', () => {
    const ids = ['db1', 'db2', 'db3', 'db4'];
    const [, api] = SHOP.nodes as [TopologyNode, TopologyNode, TopologyNode];
    const below = ids.map((id) => ({ ...api, id, name: id.toUpperCase(), dependsOn: [] }));
    const answering = measured(5, 'api', [issue({ detail })], {
      mentions: ids.map((node) => ({ node, endpoint: `${node}:5432`, failure: detail })),
    });
    const { report: made } = concludeRun(
      { ...SHOP, nodes: [{ ...api, dependsOn: ids }, ...below] },
      [answering, ...ids.map((id, i) => measured(6 + i, id, [], { measures: 'transport' }))],
      [],
      { nextSteps: new PromptFiles().prompts.nextSteps },
    );
    const texts = made.next_steps.map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith('Look at DB'))).toHaveLength(2);
    expect(texts).toContain('Also named in failing answers, but not measured: DB3, DB4.');
  });

  it('leads nowhere else if the dependency was measured itself', () => {
    const [first] = stepsWith([measured(6, 'db', [], { measures: 'service' })]);
    expect(first).toMatchObject({ node: 'api' });
  });
});

it('a name server that does not answer is checked before the node', () => {
  const title = 'the name server failed or did not answer (EAI_AGAIN)';
  const failed = measured(5, 'api', [
    issue({ symptom: 'unreachable', kind: 'dns', steps: 'name-server', title }),
  ]);
  const { report: made } = concludeRun(SHOP, [failed], [], {
    nextSteps: new PromptFiles().prompts.nextSteps,
  });
  expect(made.root_causes).toMatchObject([{ node: 'api', kind: 'dns' }]);
  expect(made.next_steps[0]?.text).toContain('nothing is known of API');
  expect(made.next_steps.map(({ text }) => text).join()).not.toContain('Restore the record');
});
