import { expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { writeBundle } from '../../../test/support/incidents/write-bundle.js';
import { openBundle } from '../../sources/recording/bundle.js';
import { recordedSources } from '../../sources/recording/recorded-sources.js';
import { kubernetesInspect } from './kubernetes-inspect.js';

const DESCRIBED = {
  tool: 'kubectl_describe',
  args: { kind: 'pod', name: 'shop-1' },
  output:
    'Name: shop-1\n    Last State: Terminated\n      Reason: OOMKilled\n      Exit Code: 137\n',
};

async function inspect(id: string) {
  const bundle = await openBundle(
    await writeBundle({ 'recordings/kubectl.ndjson': `${JSON.stringify(DESCRIBED)}\n` }),
  );
  const nodes = ['shop', 'cart'].map((each) => ({ ...nodeOf('workload'), id: each }));
  const [node = nodeOf('workload')] = nodes.filter((each) => each.id === id);
  const sources = recordedSources(bundle, nodes);
  return expectSound(
    await kubernetesInspect.run({ node: id }, { ...contextOf(node, { nodes }), sources }),
  );
}

test('shows the relevant lines of outputs that name the node', async () => {
  const { measurements, issues } = await inspect('shop');
  expect(measurements).toMatchObject({ recorded: true, answers: 1 });
  expect(JSON.stringify(measurements['lines'])).toContain('OOMKilled');
  expect(issues[0]).toMatchObject({ severity: 'info' });
});

test('says that no output names the node', async () => {
  expect(await inspect('cart')).toMatchObject({ measurements: { recorded: false } });
});

test('applies where outputs of other tools were recorded', () => {
  const source = { id: 'r', kind: 'recording', incident: 'x' } as const;
  const applies = (provides: 'recordings' | 'kubernetes') =>
    kubernetesInspect.appliesTo(nodeOf('service'), [{ ...source, provides: [provides] }]);
  expect([applies('recordings'), applies('kubernetes')]).toEqual([true, false]);
});
