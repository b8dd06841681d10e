import { expect, jest, test } from '@jest/globals';

const { Resolver } = await import('node:dns/promises');
const silent = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' }));
jest.unstable_mockModule('node:dns/promises', () => ({ lookup: silent, Resolver }));
const { contextOf, nodeOf } = await import('../../../test/support/loopback.js');
const { dnsLookup } = await import('./dns-lookup.js');
const { tcpProbe } = await import('../tcp-probe/tcp-probe.js');

const node = { node: 'target' };

test.each([dnsLookup, tcpProbe])(
  'a resolver that gives no answer is no fault of a service: $name',
  async (tool) => {
    const service = contextOf(nodeOf('tcp', 'shop.example:443'));
    await expect(
      tool.run({ ...node, ...(tool === tcpProbe && { tries: 1 }) }, service),
    ).rejects.toThrow(
      'the resolver of this service did not answer the question for the host name (EAI_AGAIN)',
    );
  },
);

test('it is one of a node that is about name resolution', async () => {
  expect(await dnsLookup.run(node, contextOf(nodeOf('dns', 'shop.example')))).toMatchObject({
    issues: [
      {
        severity: 'critical',
        kind: 'dns',
        title: 'the name server failed or did not answer (EAI_AGAIN)',
      },
    ],
  });
});
