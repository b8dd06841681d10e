import { expect, test } from '@jest/globals';
import type { SourceState } from '../live/check-source.js';
import { withApprovals } from './approved-tools.js';

const sha = (digit: string) => `sha256:${digit.repeat(64)}`;
const calls = { source: 'tickets', tool: 'search', definition: sha('a') };
const tool = { name: 'open_tickets', calls };
const server = (tools?: SourceState['tools'], detail = ''): SourceState => ({
  id: 'tickets',
  kind: 'mcp',
  endpoint: '',
  state: 'ok',
  detail,
  ...(tools && { tools }),
});
const detailsOf = (state: SourceState, tools = [tool]) =>
  withApprovals([state], [...tools, { name: 'tcp_probe' }]).map(({ detail }) => detail);

const WORDS = { description: 'Finds tickets', arguments: ['text'] };

test('a tool that its server offers with the approved definition has no fault', () => {
  expect(detailsOf(server([{ name: 'search', definition: sha('a'), ...WORDS }]))).toEqual(['']);
});

test('a tool that its server has changed names the definition to approve', () => {
  expect(detailsOf(server([{ name: 'search', definition: sha('b'), ...WORDS }]))).toEqual([
    `The tool open_tickets of TOOLS_DIR fails: tickets has changed the definition of search, which is not called until it is approved: if the new one is right, write ${sha('b')} as definition into the file of TOOLS_DIR.`,
  ]);
});

test('each tool that its server does not offer is named', () => {
  const other = { name: 'closed_tickets', calls: { ...calls, tool: 'count' } };
  expect(detailsOf(server([]), [tool, other])).toEqual([
    'The tool open_tickets of TOOLS_DIR fails: tickets has no tool search. The tool closed_tickets of TOOLS_DIR fails: tickets has no tool count.',
  ]);
});

test('reports nothing about a server that does not answer, or that no tool calls', () => {
  expect(detailsOf(server(undefined, 'It is away.'))).toEqual(['It is away.']);
  expect(detailsOf({ ...server([]), id: 'other' })).toEqual(['']);
});
