import { expect, it } from '@jest/globals';
import type { Client } from '../client/index.js';
import { drivenBy } from './driven-by.js';

const models = [
  { name: 'runbook', description: 'built in', default: true },
  { name: 'big', description: 'openai gpt-x' },
  { name: 'unused', description: 'no agent names it' },
];
const clientOf = (topology: object, known: object[] = models) =>
  ({ models: async () => known, topology: async () => topology }) as unknown as Client;

it('names the default model for agents that name none', async () => {
  expect(await drivenBy(clientOf({}), 1)).toBe(
    'Agents are driven by the runbook (built in, no language model).',
  );
});

it('names each model of any agent once', async () => {
  const topology = {
    globalSupervisor: { model: 'big' },
    teams: [{ supervisor: {}, workers: [{ model: 'big' }, {}] }, {}],
  };
  expect(await drivenBy(clientOf(topology), 1)).toBe(
    'Agents are driven by the runbook (built in, no language model) and big (openai gpt-x).',
  );
});

it('shows a description on one line, without control characters', async () => {
  const hostile = [{ name: 'm', description: 'a\n\u001b[31mb', default: true }];
  const line = await drivenBy(clientOf({}, hostile), 1);
  expect(line).toMatch(/^Agents are driven by m \(a [^\u001b\n]*b\)\.$/);
});
