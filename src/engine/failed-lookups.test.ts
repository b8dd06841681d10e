import { expect, test } from '@jest/globals';
import { MINUTE, steppedSeries } from '../../test/support/incidents/observations.js';
import { alerts, errors, first, node } from '../../test/support/ranked-shop.js';

test('the name server is the node with the metrics of one, whatever it is called', () => {
  const nodes = [node('shop', 'cart'), node('cart'), node('unit-5')];
  const templates = errors([
    'shop',
    11,
    'dial tcp: lookup tax.internal on 10.96.0.10:53: no such host',
  ]);
  const series = [steppedSeries('unit-5', 'coredns_dns_request_duration_p99_ms', 2, 900)];
  expect(first({ nodes, alerts, templates, series })).toMatchObject({
    node: 'unit-5',
    kind: 'dns',
  });
});

test('a node that is called a resolver resolves no names', () => {
  const nodes = [node('shop', 'cart'), node('cart'), node('resolver-probes'), node('unit-5')];
  const templates = errors(['cart', 11, 'lookup tax.internal: no such host']);
  expect(first({ nodes, alerts, templates })).toMatchObject({ node: 'cart', kind: 'dns' });
  const portOf = (id: string) => (id === 'unit-5' ? 53 : 8_080);
  const withPort = nodes.map((each) => ({ ...each, endpoint: `${each.id}:${portOf(each.id)}` }));
  expect(first({ nodes: withPort, alerts, templates })?.for).toContain(
    'it resolves names, and lookups of a node fail',
  );
});

test('a zone whose signatures are refused is no failure of what resolves names', () => {
  const nodes = [node('shop', 'ns'), node('ns', 'signer'), node('signer')];
  const change = { kind: 'config' as const, at: 10 * MINUTE, id: 'utc', node: 'signer' };
  const diff = '-inception = datetime.now(pytz.utc)\n+inception = datetime.now()';
  const changes = [{ ...change, files: ['signer/rrsig.py'], diff }];
  const body = 'rcode=SERVFAIL "Signature Not Yet Valid": RRSIG inception in the future';
  const found = first({ nodes, alerts, changes, templates: errors(['shop', 11, body]) });
  expect(found).toMatchObject({ node: 'signer', kind: 'wrong-result', change: 'utc' });
});

test('a change of what answers for which names is the cause of failed lookups', () => {
  const nodes = [node('shop', 'coredns'), node('coredns')];
  const change = { kind: 'config' as const, at: 10 * MINUTE, id: 'zone', node: 'coredns' };
  const diff = '-build.corp:53 {\n-  forward . 10.20.0.2\n-}';
  const lookups = ['shop', 11, 'lookup blob.build.corp on 10.96.0.10:53: no such host'] as const;
  const templates = errors([...lookups]);
  const found = first({ nodes, alerts, changes: [{ ...change, diff }], templates });
  expect(found).toMatchObject({ node: 'coredns', kind: 'dns', change: 'zone' });
  const other = { ...change, node: 'shop', diff: '-color: red\n+color: blue' };
  expect(first({ nodes, alerts, changes: [other], templates })?.change).toBeUndefined();
});
