import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../test/support/incidents/observations.js';
import { LogTemplates } from './logs/log-templates.js';
import type { Observations } from './observations.js';
import { placeOf } from './place-cause.js';

const node = (id: string, dependsOn: string[], kind?: string) => ({
  id,
  name: id,
  dependsOn,
  ...(kind !== undefined && { kind }),
});
const text = (speaker: string, words: string) => ({
  text: words,
  weight: 1,
  from: 'log' as const,
  node: speaker,
});
const at = (seen: Observations, ...rest: [Parameters<typeof placeOf>[1], ...unknown[]]) =>
  placeOf(seen, rest[0], undefined, rest[1] as Parameters<typeof placeOf>[3])?.node;

test('of several name servers, the one is meant that says itself that it fails', () => {
  const nodes = [node('shop', ['ns1', 'ns2']), node('ns1', [], 'nameserver'), node('ns2', [])];
  const heard = text('shop', 'lookup db.internal: SERVFAIL');
  const dns = { kind: 'dns', strength: 0.85, says: heard.text, node: 'shop' };
  const seen = observed({ nodes });
  expect(at(seen, [heard, text('ns2', 'zone internal/IN: expired, dns')], dns)).toBe('ns2');
  expect(at(seen, [heard], dns)).toBe('ns1');
});

test('a machine fails where it is known, and not what runs on it', () => {
  const templates = new LogTemplates(6 * MINUTE);
  templates.add({ node: 'box', body: 'time', severity: 'INFO', at: MINUTE, labels: {} });
  const nodes = [node('shop', ['box', 'db']), node('box', [], 'host'), node('db', [])];
  const fails = { kind: 'infrastructure', strength: 0.85, says: 'host failure', node: 'shop' };
  const recorded = observed({ nodes, templates: templates.all() });
  expect(at(recorded, [], fails)).toBe('box');
  expect(at(observed({ nodes }), [], fails)).toBe('shop');
});
