import { expect, it } from '@jest/globals';
import { readInstructions, writeBrief, type Brief } from './brief.js';

const node = { id: 'web', name: 'Web', kind: 'service', dependsOn: [] };
const look = [{ tool: 'look', args: { node: 'web' } }];
const oracle = (thinking: boolean, firstLook: typeof look): Brief => ({
  role: 'oracle',
  topology: { id: 1, name: 'Shop', nodes: [{ ...node, firstLook }] },
  thinking,
});

it.each<[string, Brief]>([
  ['a worker', { role: 'worker', node: { ...node, attributes: {} }, firstLook: [] }],
  ['an agent at the top', { role: 'global_supervisor', nodes: [node], teams: [], firstLook: [] }],
  ['an oracle', oracle(false, [])],
  ['an oracle without a topology', { role: 'oracle', topology: null, thinking: false }],
])('leaves out what says nothing to the model of %s, and reads it again', (_, brief) => {
  const written = writeBrief(brief, 'A note.');
  expect(written).not.toMatch(/firstLook|thinking/);
  expect(readInstructions(written).brief).toEqual(brief);
});

it('keeps a first look, and that reasoning is wanted', () => {
  const brief = oracle(true, look);
  const written = writeBrief(brief, undefined);
  expect(written).toContain('"firstLook":[{"tool":"look"');
  expect(written).toContain('"thinking":true');
  expect(readInstructions(written).brief).toEqual(brief);
});
