import { expect, it } from '@jest/globals';
import { measured, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import { unreadChanges, unreadTelemetry } from './unread-telemetry.js';

const [web, ...others] = SHOP.nodes;
if (!web) throw new Error('no node');
/** Only `web` selects from the source. */
const live = {
  nodes: [{ ...web, in: { tempo: 'web' } }, ...others],
  sources: [{ id: 'tempo', kind: 'tempo' as const, provides: ['traces' as const] }],
};
const ranked = (sequence: number, telemetry: string) => ({
  ...measured(sequence, 'web'),
  ranking: {
    causes: [],
    rejected: [],
    gaps: [{ telemetry, reason: 'not read within 120 s', forbidden: false }],
  },
});

it('is that of the nodes that select from a source with it', () => {
  expect([...unreadTelemetry(live, [ranked(9, 'traces')]).keys()]).toEqual(['web']);
  expect(unreadTelemetry(live, [ranked(9, 'logs')]).size).toBe(0);
});

it('names every kind of telemetry and every reason', () => {
  const gap = (telemetry: string, reason: string) => ({ telemetry, reason, forbidden: false });
  const gaps = [
    gap('traces', 'source a: refused'),
    { ...gap('logs', 'source a: refused'), nodes: ['web'] },
    { ...gap('metrics', 'source b: no answer'), nodes: ['web', 'api'] },
    { ...gap('changes', 'source c: no answer'), nodes: ['web'] },
  ];
  const all = [{ ...measured(9, 'web'), ranking: { causes: [], rejected: [], gaps } }];
  const unread = unreadTelemetry(live, all);
  expect([unread.get('web')?.detail, unread.get('api')?.detail]).toEqual([
    'Its traces and logs could not be read: source a: refused; its metrics could not be read: source b: no answer',
    'Its metrics could not be read: source b: no answer',
  ]);
  expect(unreadChanges(live, all)).toEqual([
    { nodes: ['web'], reason: 'source c: no answer', evidence: [9] },
  ]);
});

it('is what the latest ranking could not read', () => {
  const all = [ranked(12, 'logs'), ranked(9, 'traces')];
  expect(unreadTelemetry(live, all).size).toBe(0);
  expect(unreadTelemetry(live, []).size).toBe(0);
});
