import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import {
  hasPrometheus,
  startPrometheus,
} from '../../../test/support/programs/prometheus-program.js';
import type { Series } from '../../domain/telemetry/records.js';
import type { TopologySource } from '../../domain/topology/topology.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { metricsCheck } from './metrics-check.js';

const MINUTES = 420;
const GB = 1e9;
type Course = (ago: number) => number;
type Line = [name: string, more: Record<string, string>, course: Course];

const root = { mountpoint: '/', device: '/dev/sda1', fstype: 'ext4' };
const data = { mountpoint: '/data', device: '/dev/sdb1', fstype: 'ext4' };
const logs = { mountpoint: '/var/log', device: '/dev/sdc1', fstype: 'ext4' };
const still =
  (value: number): Course =>
  () =>
    value;
/** A counter that grows by so much a second. */
const growing =
  (perSecond: number): Course =>
  (ago) =>
    perSecond * 60 * (MINUTES - ago);

/** The metrics of a machine by node_exporter; of a healthy one by default. */
const machine = (job: string, changed: readonly Line[] = []): Line[] => {
  const usual: Line[] = [
    ['node_boot_time_seconds', {}, still(1)],
    ...[root, data, logs].flatMap((of): Line[] => [
      ['node_filesystem_avail_bytes', of, still(60 * GB)],
      ['node_filesystem_size_bytes', of, still(100 * GB)],
      ['node_filesystem_files', of, still(1_000)],
      ['node_filesystem_files_free', of, still(900)],
      ['node_filesystem_readonly', of, still(0)],
    ]),
    ['node_cpu_seconds_total', { cpu: '0', mode: 'idle' }, growing(0.8)],
    ['node_cpu_seconds_total', { cpu: '1', mode: 'idle' }, growing(0.8)],
    ['node_load1', {}, still(1)],
    ['node_memory_MemAvailable_bytes', {}, still(8 * GB)],
    ['node_memory_MemTotal_bytes', {}, still(16 * GB)],
    ['node_vmstat_oom_kill', {}, still(3)],
    ['node_vmstat_pgmajfault', {}, growing(2)],
    ['node_pressure_memory_stalled_seconds_total', {}, growing(0)],
    ['node_pressure_io_stalled_seconds_total', {}, growing(0.01)],
    ['node_disk_io_time_weighted_seconds_total', { device: 'sda' }, growing(0.5)],
    ['node_nf_conntrack_entries', {}, still(100)],
    ['node_nf_conntrack_entries_limit', {}, still(1_000)],
    ['node_filefd_allocated', {}, still(1_000)],
    ['node_filefd_maximum', {}, still(10_000)],
    ['node_timex_offset_seconds', {}, still(-0.001)],
    ['node_timex_sync_status', {}, still(1)],
    ['node_timex_maxerror_seconds', {}, still(0.1)],
    ['node_systemd_unit_state', { name: 'nginx.service', state: 'failed' }, still(0)],
    ['node_systemd_service_restart_total', { name: 'nginx.service' }, still(1)],
    ['node_network_receive_packets_total', { device: 'eth0' }, growing(1_000)],
    ['node_network_receive_errs_total', { device: 'eth0' }, growing(0)],
    ['node_md_disks', { device: 'md0', state: 'failed' }, still(0)],
  ];
  const keyOf = ([name, more]: Line) => JSON.stringify([name, more]);
  const lines = new Map([...usual, ...changed].map((line) => [keyOf(line), line]));
  return [...lines.values()].map(([name, more, course]) => [name, { job, ...more }, course]);
};

const ROWS: readonly [fault: string, lines: Line[], issues: string[]][] = [
  ['nothing', [], []],
  [
    'a disk that is full in two hours, one in half a day, and one that has space enough',
    [
      ['node_filesystem_avail_bytes', root, (ago) => (10 + ago * (5 / 60)) * GB],
      ['node_filesystem_avail_bytes', data, (ago) => (36 + ago * (3 / 60)) * GB],
      ['node_filesystem_avail_bytes', logs, (ago) => (50 + ago * (20 / 60)) * GB],
    ],
    [
      'critical disk-full: / is full in about 2 h if it fills up as in the last 6 h',
      'warning disk-full: used space of / is 90 %',
      'warning disk-full: /data is full in about 12 h if it fills up as in the last 6 h',
    ],
  ],
  [
    'no inodes',
    [['node_filesystem_files_free', logs, still(10)]],
    ['critical disk-full: share of used inodes of /var/log is 99 %'],
  ],
  [
    'a file system that has become read-only',
    [['node_filesystem_readonly', data, (ago) => Number(ago < 30)]],
    ['critical volume: /data has become read-only'],
  ],
  [
    'a file system that is meant to be read-only',
    [['node_filesystem_readonly', data, still(1)]],
    [],
  ],
  [
    'no processor time',
    [
      ['node_cpu_seconds_total', { cpu: '0', mode: 'idle' }, growing(0.02)],
      ['node_cpu_seconds_total', { cpu: '1', mode: 'idle' }, growing(0.04)],
      ['node_load1', {}, still(9)],
    ],
    [
      'warning cpu-saturated: processor use of host is 97 %',
      'warning cpu-saturated: its load is 4.5 for each core',
    ],
  ],
  [
    'no memory',
    [
      ['node_memory_MemAvailable_bytes', {}, still(0.4 * GB)],
      ['node_vmstat_oom_kill', {}, (ago) => (ago < 10 ? 4 : 3)],
      ['node_vmstat_pgmajfault', {}, growing(800)],
      ['node_pressure_memory_stalled_seconds_total', {}, growing(0.4)],
    ],
    [
      'critical out-of-memory: the kernel has ended processes for lack of memory in the last 30 minutes',
      'warning memory: used memory of host is 97.5 %',
      'warning memory: share of time in which all work waited for memory of host is 40 %',
      'warning memory: 800 pages a second are read back from the disk',
    ],
  ],
  [
    'a slow disk',
    [
      ['node_pressure_io_stalled_seconds_total', {}, growing(0.6)],
      ['node_disk_io_time_weighted_seconds_total', { device: 'sda' }, growing(25)],
    ],
    [
      'warning infrastructure: share of time in which all work waited for disks of host is 60 %',
      'warning infrastructure: 25 requests wait for a disk on average',
    ],
  ],
  [
    'full tables of connections and files',
    [
      ['node_nf_conntrack_entries', {}, still(990)],
      ['node_filefd_allocated', {}, still(7_500)],
    ],
    [
      'critical capacity: use of the table of connections of host is 99 %',
      'warning capacity: share of open files of host is 75 %',
    ],
  ],
  [
    'a wrong clock',
    [
      ['node_timex_offset_seconds', {}, still(-0.25)],
      ['node_timex_sync_status', {}, still(0)],
      ['node_timex_maxerror_seconds', {}, still(16)],
    ],
    ['warning: its clock is 250 ms off', 'warning: its clock is not synchronised'],
  ],
  [
    'units that failed or start again and again',
    [
      ['node_systemd_unit_state', { name: 'nginx.service', state: 'failed' }, still(1)],
      ['node_systemd_service_restart_total', { name: 'shop.service' }, growing(1 / 30)],
    ],
    [
      'warning crash: systemd unit nginx.service has failed',
      'warning crash-loop: systemd unit shop.service is restarted repeatedly',
    ],
  ],
  [
    'broken links and disks',
    [
      ['node_network_receive_errs_total', { device: 'eth0' }, growing(50)],
      ['node_md_disks', { device: 'md0', state: 'failed' }, still(1)],
    ],
    [
      'warning infrastructure: share of broken packets of eth0 is 5 %',
      'warning infrastructure: a disk of the array md0 has failed',
    ],
  ],
];

const monitoring: readonly [fault: string, lines: Line[], issues: string[]][] = [
  ['a Prometheus that is well', [['prometheus_config_last_reload_successful', {}, still(1)]], []],
  [
    'a Prometheus with broken rules, no Alertmanager and a refused configuration',
    [
      ['prometheus_rule_evaluation_failures_total', { rule_group: 'a.yml;shop' }, growing(0.1)],
      ['prometheus_notifications_dropped_total', {}, growing(0.1)],
      ['prometheus_config_last_reload_successful', {}, still(0)],
    ],
    [
      'warning infrastructure: rules of shop (a.yml) cannot be evaluated',
      'warning infrastructure: alerts were dropped: no Alertmanager took them',
      'warning infrastructure: its configuration was refused: it runs with an older one',
    ],
  ],
];

const ofMachines = ROWS.map(([fault, lines, issues], index) => ({
  fault,
  issues,
  job: `host-${index}`,
  lines: machine(`host-${index}`, lines),
}));
const ofMonitoring = monitoring.map(([fault, lines, issues], index) => {
  const job = `prometheus-${index}`;
  const own: Line[] = [['prometheus_build_info', {}, still(1)], ...lines];
  return { fault, issues, job, lines: own.map(([n, m, c]): Line => [n, { job, ...m }, c]) };
});
const SCENES = [...ofMachines, ...ofMonitoring];

/** Checks the node that is this job. */
async function checkOf(endpoint: string, job: string) {
  const sources: TopologySource[] = [
    { id: 'prom', kind: 'prometheus', endpoint, provides: ['metrics'] },
  ];
  const node = { ...nodeOf('host'), in: { prom: `job="${job}"` } };
  const live = liveSources({ nodes: [node], sources }, [], {
    egress: anyEgress,
    secretOf: () => undefined,
    now: Date.now(),
  });
  return expectSound(
    await metricsCheck.run({ node: node.id }, { ...contextOf(node), sources: live }),
  );
}

// Without Prometheus (Debian: apt-get install prometheus) nothing computes the expressions.
(hasPrometheus() ? describe : describe.skip)('a real Prometheus', () => {
  let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
  beforeAll(async () => {
    const now = Date.now();
    const minutes = Array.from({ length: MINUTES + 1 }, (_, i) => MINUTES - i);
    const series = SCENES.flatMap(({ lines }) => lines).map(([name, labels, course]): Series => ({
      node: '',
      name,
      labels: { instance: 'host', ...labels },
      times: minutes.map((ago) => now - ago * 60_000),
      values: minutes.map((ago) => course(ago)),
    }));
    prometheus = await startPrometheus(series);
  }, 60_000);
  afterAll(() => prometheus.stop());

  test.each(SCENES)('finds $fault', async ({ job, issues }) => {
    const result = await checkOf(prometheus.url, job);
    expect(
      result.issues.map(
        ({ severity, kind, title }) =>
          `${severity}${kind === undefined ? '' : ` ${kind}`}: ${title}`,
      ),
    ).toEqual(issues);
    expect(result).not.toHaveProperty('partial');
  });

  test.each([
    ['fires', 0, []],
    ['does not fire any more', 60, ['its alert Watchdog, which always fires, does not fire']],
  ])('whose Watchdog %s', async (_, since, titles) => {
    const labels = { alertname: 'Watchdog', alertstate: 'firing', severity: 'none' };
    const now = Date.now();
    const line = (name: string, own: Record<string, string>, last: number): Series => ({
      node: '',
      name,
      labels: own,
      values: Array<number>(100).fill(1),
      times: Array.from({ length: 100 }, (__, i) => now - (last + 99 - i) * 60_000),
    });
    const { url, stop } = await startPrometheus([
      line('ALERTS', labels, since),
      line('prometheus_build_info', { job: 'prometheus' }, 0),
    ]);
    const result = await checkOf(url, 'prometheus');
    await stop();
    expect(result.issues.map(({ title }) => title)).toEqual(titles);
  });
});
