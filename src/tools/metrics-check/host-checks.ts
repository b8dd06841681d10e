import type { MetricSample } from '../../sources/ports.js';
import { type CheckGroup, type MetricCheck, ratio, type IssueRating } from './metric-check.js';

const REAL = 'fstype!~"tmpfs|ramfs|overlay|squashfs|iso9660"';
const saturated = (kind: NonNullable<IssueRating['kind']>): Omit<IssueRating, 'severity'> => ({
  symptom: 'saturated',
  kind,
});
const warning = (kind: NonNullable<IssueRating['kind']>): IssueRating => ({
  severity: 'warning',
  ...saturated(kind),
});
const critical = (kind: NonNullable<IssueRating['kind']>): IssueRating => ({
  severity: 'critical',
  ...saturated(kind),
});

/** A condition that holds (1) or not. */
const state = (
  name: string,
  expression: string,
  {
    rated,
    title,
    detail,
  }: { rated: IssueRating; title: (thing: string) => string; detail: string },
): MetricCheck => ({
  name,
  expression,
  ofService: false,
  judge: (sample) =>
    sample.value > 0 ? { ...rated, title: title(thingOf(sample)), detail } : undefined,
});

/** A number that must not be above a limit. */
const limited = (
  name: string,
  expression: string,
  { above, rated, title }: { above: number; rated: IssueRating; title: (value: number) => string },
): MetricCheck => ({
  name,
  expression,
  ofService: false,
  most: above,
  judge: ({ value }) =>
    value > above
      ? { ...rated, title: title(value), detail: `Expected at most ${above}.` }
      : undefined,
});

const thingOf = ({ labels }: MetricSample): string =>
  (labels['name'] ?? labels['mountpoint'] ?? labels['device'] ?? 'it').slice(0, 100);

const HOURS = 4;
/**
 * The expected use of a file system, as a share of its free space: above 1 it is full within four
 * hours.
 */
const FILLS = `${HOURS * 3_600} * -deriv(node_filesystem_avail_bytes{$S,${REAL}}[6h]) / node_filesystem_avail_bytes{$S,${REAL}}`;

/**
 * Rules about a machine, of node_exporter. Limits: node-mixin (Apache-2.0), and
 * awesome-prometheus-alerts (CC BY 4.0) for processors, memory, descriptors and devices; of
 * pressure (PSI), which neither has, our own.
 */
export const HOST_CHECKS: CheckGroup = {
  gate: 'max(node_boot_time_seconds{$S})',
  checks: [
    {
      name: 'disk_fills',
      expression: `${FILLS} and node_filesystem_avail_bytes{$S,${REAL}} / node_filesystem_size_bytes{$S,${REAL}} < 0.4 and node_filesystem_readonly{$S,${REAL}} == 0`,
      ofService: false,
      judge: (sample) =>
        !(sample.value > HOURS / 24)
          ? undefined
          : {
              ...(sample.value > 1 ? critical('disk-full') : warning('disk-full')),
              title: `${thingOf(sample)} is full in about ${Math.max(1, Math.round(HOURS / sample.value))} h if it fills up as in the last 6 h`,
              detail:
                'Less than 40 % of it is free. The trend is that of node_filesystem_avail_bytes.',
            },
    },
    {
      name: 'inodes_ratio',
      expression: `1 - node_filesystem_files_free{$S,${REAL}} / (node_filesystem_files{$S,${REAL}} > 0)`,
      ofService: false,
      ...ratio(
        'share of used inodes',
        { above: 0.97, rated: critical('disk-full') },
        { above: 0.95, rated: warning('disk-full') },
      ),
    },
    state(
      'file_system_readonly',
      `node_filesystem_readonly{$S,${REAL}} == 1 and min_over_time(node_filesystem_readonly{$S,${REAL}}[1d]) == 0`,
      {
        rated: { severity: 'critical', symptom: 'erroring', kind: 'volume' },
        title: (thing) => `${thing} has become read-only`,
        detail: 'It could be written less than a day ago: its device may have failed. See dmesg.',
      },
    ),
    {
      name: 'cpu_ratio',
      expression: '1 - avg by (instance) (rate(node_cpu_seconds_total{$S,mode="idle"}[5m]))',
      ofService: true,
      ...ratio('processor use', { above: 0.9, rated: warning('cpu-saturated') }),
    },
    limited(
      'load_per_core',
      'min_over_time(node_load1{$S}[5m]) / on (instance) count by (instance) (node_cpu_seconds_total{$S,mode="idle"})',
      {
        above: 2,
        rated: warning('cpu-saturated'),
        title: (value) => `its load is ${Math.round(10 * value) / 10} for each core`,
      },
    ),
    {
      name: 'host_memory_ratio',
      expression:
        '1 - max_over_time(node_memory_MemAvailable_bytes{$S}[5m]) / node_memory_MemTotal_bytes{$S}',
      ofService: true,
      ...ratio('used memory', { above: 0.9, rated: warning('memory') }),
    },
    state('oom_kills', 'increase(node_vmstat_oom_kill{$S}[30m]) > 0', {
      rated: { severity: 'critical', symptom: 'saturated', kind: 'out-of-memory' },
      title: () => 'the kernel has ended processes for lack of memory in the last 30 minutes',
      detail: 'node_vmstat_oom_kill rose. The log of the kernel names the processes.',
    }),
    {
      name: 'memory_pressure',
      expression: 'rate(node_pressure_memory_stalled_seconds_total{$S}[5m])',
      ofService: false,
      ...ratio('share of time in which all work waited for memory', {
        above: 0.1,
        rated: warning('memory'),
      }),
    },
    {
      name: 'io_pressure',
      expression: 'rate(node_pressure_io_stalled_seconds_total{$S}[5m])',
      ofService: false,
      ...ratio('share of time in which all work waited for disks', {
        above: 0.3,
        rated: { severity: 'warning', symptom: 'slow', kind: 'infrastructure' },
      }),
    },
    limited('major_faults', 'rate(node_vmstat_pgmajfault{$S}[5m])', {
      above: 500,
      rated: warning('memory'),
      title: (value) => `${Math.round(value)} pages a second are read back from the disk`,
    }),
    limited(
      'disk_queue',
      'max(rate(node_disk_io_time_weighted_seconds_total{$S,device!~"loop.*|ram.*|dm-.*"}[5m]))',
      {
        above: 10,
        rated: warning('infrastructure'),
        title: (value) => `${Math.round(value)} requests wait for a disk on average`,
      },
    ),
    {
      name: 'conntrack_ratio',
      expression: 'node_nf_conntrack_entries{$S} / (node_nf_conntrack_entries_limit{$S} > 0)',
      ofService: false,
      ...ratio(
        'use of the table of connections',
        { above: 0.95, rated: critical('capacity') },
        { above: 0.75, rated: warning('capacity') },
      ),
    },
    {
      name: 'host_files_ratio',
      expression: 'node_filefd_allocated{$S} / node_filefd_maximum{$S}',
      ofService: false,
      ...ratio(
        'share of open files',
        { above: 0.9, rated: critical('capacity') },
        { above: 0.7, rated: warning('capacity') },
      ),
    },
    limited('clock_offset_s', 'min_over_time(abs(node_timex_offset_seconds{$S})[5m:1m])', {
      above: 0.05,
      rated: { severity: 'warning', symptom: 'advisory', steps: 'clock' },
      title: (value) => `its clock is ${Math.round(1_000 * value)} ms off`,
    }),
    state(
      'clock_unsynchronised',
      '(max_over_time(node_timex_sync_status{$S}[5m]) == bool 0) and node_timex_maxerror_seconds{$S} >= 16',
      {
        rated: { severity: 'warning', symptom: 'advisory', steps: 'clock' },
        title: () => 'its clock is not synchronised',
        detail: 'No time service has set it for long (node_timex_sync_status is 0).',
      },
    ),
    state('failed_units', 'min_over_time(node_systemd_unit_state{$S,state="failed"}[2m]) == 1', {
      rated: { severity: 'warning', symptom: 'erroring', kind: 'crash' },
      title: (thing) => `systemd unit ${thing} has failed`,
      detail: 'systemd does not start it again by itself.',
    }),
    state('restarting_units', 'increase(node_systemd_service_restart_total{$S}[5m]) > 2', {
      rated: { severity: 'warning', symptom: 'erroring', kind: 'crash-loop' },
      title: (thing) => `systemd unit ${thing} is restarted repeatedly`,
      detail: 'More than two restarts in five minutes.',
    }),
    {
      name: 'network_errors_ratio',
      expression:
        'max by (device) (rate(node_network_receive_errs_total{$S}[5m]) / (rate(node_network_receive_packets_total{$S}[5m]) > 0) or rate(node_network_transmit_errs_total{$S}[5m]) / (rate(node_network_transmit_packets_total{$S}[5m]) > 0))',
      ofService: false,
      ...ratio('share of broken packets', {
        above: 0.01,
        rated: { severity: 'warning', symptom: 'erroring', kind: 'infrastructure' },
      }),
    },
    state('failed_disks', 'node_md_disks{$S,state="failed"} > 0', {
      rated: { severity: 'warning', symptom: 'erroring', kind: 'infrastructure' },
      title: (thing) => `a disk of the array ${thing} has failed`,
      detail: 'Replace it: the array may not survive another one.',
    }),
  ],
};
