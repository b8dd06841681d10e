import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { checkSource } from './check-source.js';

const SECRET = 'correct-horse-battery';
const reach = { egress: anyEgress, secretOf: () => SECRET };

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
