import { expect, test } from '@jest/globals';
import { withChangeSteps } from './change-steps.js';
import { placed } from './step-command.js';

const node = { id: 'cart', name: 'Cart', kind: 'service', dependsOn: [], attributes: {} };
const at = (isInKubernetes: boolean) => ({
  ...placed(node, undefined),
  isInKubernetes,
  values: { workload: '-n shop deployment/cart' },
});
const commandsOf = (change: string, isInKubernetes = true) =>
  withChangeSteps({ change, evidence: [3] }, at(isInKubernetes), []).map(({ access, command }) =>
    `${access} ${command ?? ''}`.trim(),
  );

test.each([
  ['c0ffee0123456789', ['read git show c0ffee0123456789', 'change git revert c0ffee0123456789']],
  [
    'deployment/cart@7',
    [
      'read kubectl rollout history -n shop deployment/cart --revision=7',
      'change kubectl rollout undo -n shop deployment/cart --to-revision=6',
    ],
  ],
  [
    'team-a/shop-prod@12',
    ['read argocd app history team-a/shop-prod', 'change argocd app rollback team-a/shop-prod 11'],
  ],
  [
    'deployment/cart@1',
    ['read kubectl rollout history -n shop deployment/cart --revision=1', 'change'],
  ],
  ['shop@1', ['read argocd app history shop', 'change argocd app rollback shop 0']],
  ['shop@0', ['read argocd app history shop', 'change']],
  ['deployment/worker@7', ['read', 'change']],
  ['checkout-rail', ['read', 'change']],
  ['$(reboot)@1', ['read', 'change']],
  ['--help@1', ['read', 'change']],
])('change %s is read and rolled back by the commands of its source', (change, commands) => {
  expect(commandsOf(change)).toEqual(commands);
});

test('kubectl is for nodes in Kubernetes', () => {
  expect(commandsOf('deployment/cart@7', false)).toEqual(['read', 'change']);
});

test('a known change is not looked for, and nothing changes without one', () => {
  const step = { text: 'List', access: 'read', command: 'git log -p -3' } as const;
  const other = { text: 'Look', access: 'read' } as const;
  const steps = withChangeSteps({ change: 'c0ffee01', evidence: [3] }, at(true), [step, other]);
  expect(steps.slice(2)).toEqual([other]);
  expect(withChangeSteps({ evidence: [3] }, at(true), [step, other])).toEqual([step, other]);
});
