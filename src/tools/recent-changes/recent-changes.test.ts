import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { startReplay } from '../../../test/support/sources/source-replay.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { recentChanges } from './recent-changes.js';

const NOW = Date.parse('2026-01-02T12:00:00Z');

test('lists what can be read, latest first, and says what cannot', async () => {
  const history = [10, 40].map((minutes, id) => ({
    id,
    deployedAt: new Date(NOW - minutes * 60_000).toISOString(),
    revision: `abc${id}`,
  }));
  const argo = await startReplay(({ url }) =>
    url.pathname.endsWith('/shop') ? { status: { history } } : undefined,
  );
  const node = { ...nodeOf('service'), in: { argo: 'shop' } };
  const other = { ...node, id: 'other', in: { argo: 'gone' } };
  const sources = liveSources(
    { nodes: [node, other], sources: [{ id: 'argo', kind: 'argocd', provides: ['changes'] }] },
    [{ id: 'argo', kind: 'argocd', endpoint: argo.url }],
    { egress: anyEgress, secretOf: () => undefined, now: NOW },
  );
  const context = { ...contextOf(node, { nodes: [other] }), sources };
  const { measurements } = expectSound(await recentChanges.run({ node: 'target' }, context));
  await argo.close();
  expect(measurements).toMatchObject({
    changes: [
      { kind: 'deploy', node: 'target', at: '2026-01-02T11:50:00.000Z', id: 'shop@0' },
      { id: 'shop@1' },
    ],
    unread: expect.stringMatching(/^other: .*status 404/) as unknown,
  });
});
