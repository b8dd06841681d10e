import { expect, it } from '@jest/globals';
import { chainAt, explainedBy, pathAt } from '../../console/src/model/view/path-at.js';
import { RunModel } from '../../console/src/model/run-model.js';
import type { Health, NodeTrack } from '../../console/src/model/types.js';
import type { Report } from '../../src/domain/diagnosis/finding.js';

/**
 * A run that has ended: its nodes by what they depend on and their health, and the chain that the
 * report gives.
 */
function modelOf(
  nodes: Record<string, [health: Health, ...dependsOn: string[]]>,
  chain: string[] = ['cause'],
): RunModel {
  const model = new RunModel();
  for (const [id, [health, ...dependsOn]] of Object.entries(nodes))
    model.nodes.set(id, {
      id,
      name: id,
      dependsOn,
      changes: [{ seq: 1, health, why: '' }],
      looks: [],
    } as unknown as NodeTrack);
  const stateOf = (health: Health) => (health === 'warning' ? 'downstream' : 'healthy');
  model.report = {
    root_causes: [{ node: 'cause', title: 'full', confidence: 0.9, evidence: [1], chain }],
    nodes: Object.entries(nodes).map(([node, [health]]) => ({ node, state: stateOf(health) })),
  } as unknown as Report;
  model.terminal = { sequence: 1 } as RunModel['terminal'];
  return model;
}

it('follows a failure from a cause to what depends on it, as far as that is unhealthy', () => {
  const model = modelOf({
    web: ['critical', 'shop'],
    shop: ['warning', 'cause'],
    mail: ['ok', 'cause'],
    cause: ['root'],
  });
  expect([...pathAt(model, 1).edges]).toEqual(['shop>cause', 'web>shop']);
  expect(chainAt(model, 'cause', 1)).toEqual(['web', 'shop', 'cause']);
  expect(explainedBy(model, 'cause', 1)).toEqual(['shop', 'web']);
});

it('follows a failure through what a cause shares with others, if that suffers', () => {
  const model = modelOf({
    web: ['warning', 'pricing'],
    pricing: ['warning', 'db'],
    cause: ['root', 'db', 'cache'],
    db: ['warning'],
    cache: ['ok'],
  });
  const path = pathAt(model, 1);
  expect([...path.against]).toEqual(['cause>db']);
  expect([...path.edges]).toEqual(['cause>db', 'pricing>db', 'web>pricing']);
  expect(chainAt(model, 'cause', 1)).toEqual(['web', 'pricing', 'db', 'cause']);
  expect(explainedBy(model, 'cause', 1)).toEqual(['db', 'pricing', 'web']);
});

it('ends where a failure goes round in a circle', () => {
  const model = modelOf({
    cause: ['root', 'db', 'warm'],
    warm: ['critical', 'other'],
    other: ['critical', 'db'],
    db: ['warning'],
  });
  const chain = chainAt(model, 'cause', 1);
  expect(new Set(chain).size).toBe(chain.length);
  expect(chain.at(-1)).toBe('cause');
});

it('takes the chain of the report where it has more than the cause', () => {
  const nodes: Parameters<typeof modelOf>[0] = { web: ['critical', 'cause'], cause: ['root'] };
  expect(chainAt(modelOf(nodes, ['cause', 'web', 'x']), 'cause', 1)).toEqual(['x', 'web', 'cause']);
});

it('goes through a node that was not checked to an unhealthy one, and not to others', () => {
  const model = modelOf({
    web: ['critical', 'api'],
    api: ['unchecked', 'cause'],
    mail: ['unchecked', 'cause'],
    cause: ['root'],
  });
  expect([...pathAt(model, 1).edges]).toEqual(['api>cause', 'web>api']);
  expect(chainAt(model, 'cause', 1)).toEqual(['web', 'api', 'cause']);
  expect(explainedBy(model, 'cause', 1)).toEqual(['web']);
});
