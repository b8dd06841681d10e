import { describe, expect, test } from '@jest/globals';
import { processorMsOf } from '../../../test/support/processes/processor-time.js';
import { describeObjects } from './objects.js';
import { tellingLines } from './telling-lines.js';

const answer = (
  output: string,
  tool = 'kubectl_describe',
  args: Record<string, unknown> = { name: 'web' },
) => ({
  tool,
  args,
  status: 'success',
  output,
});
const first = (...outputs: string[]) =>
  tellingLines(
    outputs.map((each) => answer(each)),
    'what is wrong with web?',
  )[0];

describe('tellingLines', () => {
  test.each(['\n\t', 'pods:\n', 'storageclass"', 'NetworkPolicy/', 'failed '])(
    'reads 400 kB of %j in linear time',
    async (word) => {
      const took = await processorMsOf(() => first(word.repeat(400_000 / word.length)));
      // What is not linear takes minutes.
      expect(took).toBeLessThan(1_000);
    },
  );

  test.each([
    [
      'out-of-memory',
      'Last State: Terminated\n  Reason: OOMKilled\nWarning BackOff Back-off restarting failed container',
    ],
    ['image-pull', 'State: Waiting\n Reason: ImagePullBackOff'],
    ['unschedulable', 'Warning FailedScheduling 0/3 nodes are available: 3 Insufficient cpu.'],
    ['volume', 'Warning ProvisioningFailed storageclass.storage.k8s.io "fast" not found'],
    ['config', 'Reason: CreateContainerConfigError\nWarning Failed secret "db-password" not found'],
    ['bad-command', 'Reason: StartError exec: "srver": executable file not found in $PATH'],
    [
      'auth',
      'Warning FailedCreate pods "x-" is forbidden: error looking up service account a/b: serviceaccount "b" not found',
    ],
    [
      'capacity',
      'Warning FailedCreate pods "x-" is forbidden: exceeded quota: team, requested: pods=1',
    ],
    ['config', 'Warning FailedCreate pods "x-" is forbidden: failed quota: team: must specify cpu'],
    [
      'config',
      'Warning FailedCreate pods "x-" is forbidden: violates PodSecurity "restricted:latest"',
    ],
    ['config', 'Warning FailedCreate pods "x-" is forbidden: maximum memory usage per Pod is 1Gi'],
    ['capacity', 'Name: node-1\nCapacity:\n  pods:   17\nNon-terminated Pods:  (17 in total)\n'],
    ['queue-partition', '"network_partitions_detected": true'],
  ])('finds %s', (kind, output) => {
    expect(first(output)?.kind).toBe(kind);
  });

  test('puts a policy that denies before the lookups that it drops', () => {
    const line = first(
      '├── NetworkPolicy/default-deny-egress - 38m',
      'NameResolutionError: failed to resolve "api"',
    );
    expect(line).toMatchObject({ kind: 'network-policy' });
    expect(line?.text).toContain('default-deny-egress');
  });

  test('finds nothing in healthy output', () => {
    expect(
      tellingLines([answer('Status: Running\nRestart Count: 0\nEvents: <none>')], 'well?'),
    ).toEqual([]);
  });

  test('counts bystanders in a table for little', () => {
    const table = answer(
      'other-1  0/1 ImagePullBackOff\nweb-1 1/1 Running',
      'kubectl_get_by_kind_in_namespace',
      { kind: 'pod' },
    );
    const own = answer('ERROR connection refused by db:5432', 'fetch_pod_logs', {
      pod_name: 'web-1',
    });
    expect(tellingLines([table, own], 'what is wrong?')[0]?.kind).toBe('unreachable');
  });

  test('shows the part of a long line that tells', () => {
    const line = first(
      `Message: ${'failed to create task '.repeat(12)} exec: "wgett": executable file not found`,
    );
    expect(line?.text).toContain('wgett');
  });
});

describe('describeObjects', () => {
  test('reads waiting and killed containers, unmet conditions and warnings', () => {
    const pod = {
      kind: 'Pod',
      name: 'web-1',
      object: {
        status: {
          containerStatuses: [
            {
              name: 'main',
              restartCount: 4,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
            },
          ],
          conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
        },
      },
    };
    const event = {
      kind: 'Event',
      name: 'web-1.1',
      object: {
        type: 'Warning',
        reason: 'BackOff',
        involvedObject: { kind: 'Pod', name: 'web-1' },
        message: 'Back-off',
      },
    };
    const outputs = describeObjects([pod, event]);
    expect(outputs.map(({ output }) => output).join('\n')).toBe(
      'Pod/web-1 container main waiting: CrashLoopBackOff \n' +
        'Pod/web-1 container main last ended: OOMKilled Exit Code: 137 , 4 restarts\n' +
        'Pod/web-1 condition Ready False: ContainersNotReady \n' +
        'Warning BackOff Pod/web-1 Back-off',
    );
    expect(tellingLines(outputs, '')[0]?.kind).toBe('out-of-memory');
  });

  test('says nothing of objects that are well, or are no objects', () => {
    expect(describeObjects([{ kind: 'Pod', name: 'x', object: { status: 'odd' } }])).toEqual([]);
  });
});
