import { expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { writeBundle } from '../../../test/support/incidents/write-bundle.js';
import { openBundle } from '../../sources/recording/bundle.js';
import { recordedSources } from '../../sources/recording/recorded-sources.js';
import { kubernetesEvents } from './kubernetes-events.js';

const metadata = (name: string) => ({ name, namespace: 'shop' });
const about = { kind: 'Pod', namespace: 'shop', name: 'api-1' };
const event = (name: string, fields: object) => ({
  kind: 'Event',
  metadata: metadata(name),
  involvedObject: about,
  message: name,
  ...fields,
});
const POD = { kind: 'Pod', metadata: metadata('api-1') };
const EVENTS = [
  event('pulled', { type: 'Normal', lastTimestamp: '2026-01-01T00:00:01Z' }),
  // Of the scheduler: without `lastTimestamp`.
  event('scheduled', { type: 'Normal', lastTimestamp: null, eventTime: '2026-01-01T00:00:00Z' }),
  event('failed', {
    type: 'Warning',
    count: 7,
    series: { lastObservedTime: '2026-01-01T00:00:09Z' },
  }),
  event('other', { involvedObject: { ...about, name: 'web-1' } }),
];

async function events(objects: object[], id = 'api') {
  const bundle = await openBundle(
    await writeBundle({ 'kubernetes/all.json': JSON.stringify({ kind: 'List', items: objects }) }),
  );
  const node = { ...nodeOf('workload'), id };
  const nodes = [node, { ...nodeOf('workload'), id: 'second' }];
  const sources = recordedSources(bundle, nodes);
  return expectSound(
    await kubernetesEvents.run({ node: id }, { ...contextOf(node, { nodes }), sources }),
  );
}

test('lists the events of the objects of a node, latest first', async () => {
  const { summary, measurements } = await events([POD, ...EVENTS]);
  expect(summary).toBe('3 events, 1 of them warnings');
  expect(measurements['events']).toMatchObject([
    { message: 'failed', count: 7 },
    { message: 'pulled', count: 1 },
    { message: 'scheduled' },
  ]);
});

test('says that no objects of a node were read', async () => {
  expect(await events([POD], 'cart')).toMatchObject({ measurements: { recorded: false } });
});
