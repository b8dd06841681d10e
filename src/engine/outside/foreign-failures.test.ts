import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../test/support/incidents/observations.js';
import { LogTemplates } from '../logs/log-templates.js';
import { rankRootCauses } from '../rank-root-causes.js';

const kindOf = (kind: string, ...lines: [node: string, body: string][]) => {
  const templates = new LogTemplates(6 * MINUTE);
  for (const minute of [11, 13, 15])
    for (const [node, body] of lines)
      templates.add({ node, body, severity: 'ERROR', at: minute * MINUTE, labels: {} });
  const nodes = [
    { id: 'shop', name: 'shop', dependsOn: ['smsgate'] },
    { id: 'parcel', name: 'parcel', dependsOn: ['smsgate'] },
    { id: 'smsgate', name: 'smsgate', dependsOn: [], kind },
  ];
  const [first] = rankRootCauses(observed({ nodes, templates: templates.all() }), '').causes;
  return `${first?.node} ${first?.kind}`;
};
const TIMEOUT = 'smsgate: read timed out after 10 s';

test('a foreign node that answers an error of the server, or two callers no more, is an outage of its provider', () => {
  expect(kindOf('remote', ['shop', 'smsgate POST /messages -> 503, retry in 60 s'])).toBe(
    'smsgate provider-outage',
  );
  expect(kindOf('remote', ['shop', TIMEOUT], ['parcel', TIMEOUT])).toBe('smsgate provider-outage');
});

test('one caller that waits, and a node of the system, show no outage of a provider', () => {
  expect(kindOf('remote', ['shop', TIMEOUT])).toBe('smsgate timeout');
  expect(kindOf('service', ['shop', TIMEOUT], ['parcel', TIMEOUT])).toBe('smsgate timeout');
});
