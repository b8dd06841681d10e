import { expect, it } from '@jest/globals';
import { LOCAL } from '../http/access/principal.js';
import type { Sources } from '../sources/sources.js';
import { SourcesController } from './sources.controller.js';
import { ToolRegistry } from './tool-registry.js';

const prometheus = {
  id: 'prom',
  kind: 'prometheus',
  endpoint: 'http://10.0.0.5:9090',
  state: 'unreachable',
  detail: 'connect ECONNREFUSED 10.0.0.5:9090',
};
const sources = { check: () => Promise.resolve([prometheus]) } as unknown as Sources;
const controller = new SourcesController(sources, new ToolRegistry());

it.each(['viewer', 'trigger'] as const)('shows a %s no address of a source', async (role) => {
  const { items } = await controller.list({ ...LOCAL, role });
  expect(items).toEqual([{ id: 'prom', kind: 'prometheus', state: 'unreachable' }]);
});

it('shows an operator where a source is and what it answered', async () => {
  const { items } = await controller.list({ ...LOCAL, role: 'operator' });
  expect(items).toEqual([prometheus]);
});
