import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { startLokiReplay } from '../../../test/support/loki-replay.js';
import { checkSource } from './check-source.js';

const SECRET = 'correct-horse-battery';
const reach = { egress: anyEgress, secretOf: () => SECRET };

test.each([
  [200, 'ok', ''],
  [401, 'refused', 'may not look'],
  [500, 'failed', 'Nodes have no logs from it.'],
])('asks Loki for its labels: %i', async (status, state, detail) => {
  const replay = await startLokiReplay([]);
  if (status !== 200) replay.answerNext(status, '{}');
  const listed = { id: 'logs', kind: 'loki' as const, endpoint: replay.url };
  expect(await checkSource(listed, reach, new AbortController().signal)).toMatchObject({
    ...{ id: 'logs', kind: 'loki', state },
    detail: expect.stringContaining(detail) as unknown,
  });
  await replay.close();
});

test('shows no credential that a program writes to its standard error', async () => {
  const listed = {
    ...{ id: 'tickets', kind: 'mcp' as const, env: { TOKEN: '${env:TOKEN}' } },
    command: ['/bin/sh', '-c', 'echo "cannot sign in with $TOKEN" >&2; exit 1'],
  };
  const { state, detail } = await checkSource(listed, reach, new AbortController().signal);
  expect(state).toBe('unreachable');
  expect(detail).toContain('cannot sign in with ***');
  expect(detail).not.toContain(SECRET);
});
