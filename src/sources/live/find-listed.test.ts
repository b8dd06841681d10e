import { expect, test } from '@jest/globals';
import type { TopologySource } from '../../domain/topology/topology.js';
import { unlistedSources } from './find-listed.js';

const LISTED = [
  { id: 'prom', kind: 'prometheus' },
  { id: 'vm', kind: 'prometheus' },
  { id: 'logs', kind: 'loki' },
];
const faultOf = (source: object) =>
  unlistedSources([source as TopologySource], LISTED).map(({ message }) => message);

test('a listed source, one with an endpoint and a recording have no fault', () => {
  expect(faultOf({ id: 'prom', kind: 'prometheus' })).toEqual([]);
  expect(faultOf({ id: 'own', kind: 'prometheus', endpoint: 'http://a' })).toEqual([]);
  expect(faultOf({ id: 'recording', kind: 'recording' })).toEqual([]);
});

test('the fault of a source that is not listed names those of its kind', () => {
  expect(faultOf({ id: 'promm', kind: 'prometheus' })).toEqual([
    'SOURCES_FILE lists no prometheus source "promm": did you mean "prom"? allowed: prom, vm',
  ]);
  expect(faultOf({ id: 'code', kind: 'git' })).toEqual([
    'SOURCES_FILE lists no git source "code", and no other one of this kind',
  ]);
});

test('the fault of a source of another kind names the kind', () => {
  expect(faultOf({ id: 'prom', kind: 'loki' })).toEqual([
    'SOURCES_FILE lists "prom" as prometheus, not as loki',
  ]);
});
