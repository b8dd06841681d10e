import { describe, expect, it } from '@jest/globals';
import { issue, measured, SHOP } from '../../../../test/support/incidents/measured-shop.js';
import { PromptFiles } from '../../../prompts/prompt-files.js';
import type { FailureKind } from '../failure-kind.js';
import type { Issue } from '../tool-result.js';
import type { TopologyNode, TopologySource } from '../../topology/topology.js';
import { concludeRun } from '../conclude-run.js';

const { nextSteps } = new PromptFiles().prompts;

const LIVE: TopologySource = { id: 'k8s', kind: 'kubernetes', provides: ['kubernetes'] };
const RECORDED: TopologySource = {
  id: 'r',
  kind: 'recording',
  incident: 'x',
  provides: ['kubernetes'],
};
const SELECTED = {
  live: { in: { k8s: 'deployment/api' }, attributes: {} },
  recorded: { attributes: { kubernetes: 'deployment/api' } },
};
type Place = keyof typeof SELECTED;

/** Steps for what `kubernetes_check` finds at a node. */
function stepsAt(place: Place, failure: ReturnType<typeof issue>, workload?: string) {
  const node: TopologyNode = {
    id: 'api',
    name: 'API',
    kind: 'workload',
    dependsOn: [],
    ...SELECTED[place],
  };
  const seen = measured(5, 'api', [failure], {
    tool: 'kubernetes_check',
    ...(workload !== undefined && { workload }),
  });
  const topology = { ...SHOP, nodes: [node], sources: [place === 'live' ? LIVE : RECORDED] };
  return concludeRun(topology, [seen], [], { nextSteps }).report.next_steps;
}
const commandsAt = (...given: Parameters<typeof stepsAt>) =>
  stepsAt(...given).flatMap(({ command }) => command ?? []);

const config = (over: Partial<Issue>) => issue({ symptom: 'invalid', kind: 'config', ...over });
const PLACES: Place[] = ['live', 'recorded'];

describe.each(PLACES)('a command about a workload, %s', (place) => {
  const crash = issue({
    kind: 'crash-loop',
    title: 'Pod api-1 container c is in CrashLoopBackOff',
  });

  it('names the namespace in which it was measured', () => {
    const commands = commandsAt(place, crash, 'shop/deployment/api');
    expect(commands).toContain('kubectl logs -n shop deployment/api --previous');
    expect(commands.every((command) => command.includes(' -n shop '))).toBe(true);
  });

  it('names what the node selects where no namespace is known', () => {
    expect(commandsAt(place, crash)).toContain('kubectl logs deployment/api --previous');
  });

  it('looks for the pods of a workload that has too few', () => {
    const short = config({
      steps: 'unready-pods',
      title: 'Deployment api has 0 of 1 replicas ready',
    });
    const commands = stepsAt(place, short, 'shop/deployment/api').map(({ command }) => command);
    expect(commands).toEqual([
      'kubectl get pods -n shop -o wide; kubectl get events -n shop --sort-by=.lastTimestamp; kubectl describe -n shop deployment/api',
      'kubectl logs -n shop deployment/api --all-containers --tail=50',
      'kubectl rollout history -n shop deployment/api',
      'kubectl rollout undo -n shop deployment/api',
    ]);
  });

  it('looks for a workload that does not exist, and describes none', () => {
    const absent = config({ steps: 'no-workload', title: 'Deployment api does not exist' });
    const steps = stepsAt(place, absent, 'shop/deployment/api');
    expect(steps.map(({ command }) => command)).toEqual([
      'kubectl get deployment -n shop; kubectl get events -n shop --sort-by=.lastTimestamp',
      undefined,
    ]);
    expect(steps[1]).toMatchObject({
      access: 'change',
      text: expect.stringMatching(/^Deploy API/),
    });
  });

  it('compares a selector that matches no pod with the labels of the pods', () => {
    const title = 'Service api its selector (app=apy) matches no pod';
    const unselected = config({ symptom: 'unreachable', steps: 'no-pods', title });
    expect(commandsAt(place, unselected, 'shop/deployment/api')).toEqual([
      'kubectl get services -n shop -o wide; kubectl get pods -n shop --show-labels',
    ]);
  });

  it.each([
    'StatefulSet db its service db-missing does not exist',
    'webhook w calls the service y, which does not exist',
  ])('describes a workload that needs what does not exist: %s', (title) => {
    expect(commandsAt(place, config({ title }), 'shop/deployment/api')).toContain(
      'kubectl describe -n shop deployment/api',
    );
  });
});

it.each(PLACES)('no command asks the machine of a pod, %s', (place) => {
  const kinds = ['capacity', 'cpu-saturated', 'disk-full', 'infrastructure', 'memory', 'timeout'];
  const machine = /(?:^|[;|] *)(?:df|dmesg|du|lsof|ps|ss|top|vmstat) /;
  for (const kind of kinds as FailureKind[]) {
    const commands = commandsAt(place, issue({ symptom: 'invalid', kind, title: 'It fails' }));
    expect(commands.filter((command) => machine.test(command))).toEqual([]);
  }
});

it('asks the machine for its clock where the clock is wrong', () => {
  const commandsOf = (said: Partial<Issue>) =>
    commandsAt('recorded', issue({ symptom: 'invalid', kind: 'infrastructure', ...said }));
  expect(commandsOf({ steps: 'clock' })).toEqual(['chronyc tracking; chronyc sources']);
  expect(commandsOf({})[0]).toMatch(/^kubectl describe nodes/);
});

describe('a finding of a whole cluster', () => {
  const cluster: TopologyNode = {
    id: 'cluster',
    name: 'Cluster',
    kind: 'kubernetes',
    dependsOn: [],
    attributes: {},
    in: { k8s: '*' },
  };
  function stepsFor(...found: Partial<Issue>[]) {
    const seen = measured(5, 'cluster', found.map(issue), { tool: 'kubernetes_check' });
    const topology = { ...SHOP, nodes: [cluster], sources: [LIVE] };
    const { next_steps: steps } = concludeRun(topology, [seen], [], { nextSteps }).report;
    return steps.map(({ text, command }) =>
      command === undefined ? text : `${text} $ ${command}`,
    );
  }

  it('has steps about its object, each of its own', () => {
    const pull = { symptom: 'invalid', kind: 'image-pull' } as const;
    const steps = stepsFor(
      { ...pull, title: 'Pod a-1 container c is in ImagePullBackOff', object: 'shop/Deployment/a' },
      { ...pull, title: 'Pod b container c is in ImagePullBackOff', object: 'shop/Pod/b' },
    );
    expect(steps).toContain(
      'Read why the image of Deployment a cannot be pulled: name, tag or credentials. $ kubectl describe -n shop deployment/a',
    );
    expect(steps).toContain(
      'Read why the image of Pod b cannot be pulled: name, tag or credentials. $ kubectl describe -n shop pod/b',
    );
  });

  it.each<[string, Partial<Issue>, RegExp]>([
    [
      'a secret that does not exist',
      {
        kind: 'config',
        steps: 'missing-config',
        title: 'Pod a-1 container c is in CreateContainerConfigError: its secret s does not exist',
        object: 'shop/Deployment/a',
      },
      /\$ kubectl get secrets,configmaps -n shop; kubectl describe -n shop deployment\/a$/,
    ],
    [
      'a storage class that does not exist',
      {
        kind: 'volume',
        steps: 'no-storage-class',
        title: 'PersistentVolumeClaim data has no volume: its storage class nope does not exist',
        object: 'shop/PersistentVolumeClaim/data',
      },
      /storage class that PersistentVolumeClaim data .*\$ kubectl get storageclasses; kubectl describe -n shop persistentvolumeclaim\/data$/,
    ],
    [
      'a machine whose disk is full',
      {
        symptom: 'saturated',
        kind: 'disk-full',
        title: 'Node node-x DiskPressure is True',
        object: 'Node/node-x',
      },
      /disk of Node node-x.*\$ kubectl describe node\/node-x; kubectl get --raw \/api\/v1\/nodes\/node-x\/proxy\/stats\/summary$/,
    ],
  ])('has steps about %s', (_, found, first) => {
    const steps = stepsFor({ symptom: 'invalid', ...found });
    expect(steps[0]).toMatch(first);
    expect(steps.join('\n')).not.toMatch(/kubectl (?:logs|rollout)|Cluster/);
  });

  it('has steps about what does not exist beside a failure of a more telling kind', () => {
    const steps = stepsFor(
      {
        kind: 'crash-loop',
        title: 'Pod b container c is in CrashLoopBackOff',
        object: 'shop/Pod/b',
      },
      {
        symptom: 'invalid',
        kind: 'config',
        steps: 'missing-config',
        title: 'Pod a container c cannot be created: its config map m does not exist',
        object: 'shop/Pod/a',
      },
    );
    expect(steps.join('\n')).toContain('secret or config map that Pod a needs');
  });

  it('rolls back no object that has no revisions', () => {
    const crash = {
      kind: 'crash-loop',
      title: 'Pod a container c is in CrashLoopBackOff',
    } as const;
    const steps = stepsFor({ ...crash, object: 'shop/Pod/a' }).join('\n');
    expect(steps).toContain('kubectl logs -n shop pod/a --previous');
    expect(steps).not.toContain('rollout');
  });
});
