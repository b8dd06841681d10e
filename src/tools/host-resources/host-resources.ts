import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, hostname, loadavg, totalmem } from 'node:os';
import { z } from 'zod';
import { ATTRIBUTE_BOUNDS } from '../../domain/topology/node-attributes.js';
import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Symptom } from '../../domain/diagnosis/finding.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, timeoutMsOf } from '../attributes.js';
import { hostOf } from '../net/endpoint.js';
import { codeOf } from '../net/network-error.js';
import { atMost, round, showBytes, toolResult } from '../result.js';
import { localProbesOff } from '../probe-policy.js';
import type { Tool, ToolContext } from '../tool.js';
import { allowedPath } from './allowed-path.js';
import { within } from '../net/within.js';

/** From this value on, no reserve is left: the next write or process is refused. */
const FULL_PERCENT = 98;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * The machine that the service's worker runs on. Attributes: `path` (a mount point, or a
 * folder that the operator allows; default `/`), `diskPercent` 90,
 * `memoryPercent` 90, `loadPerCore` 2 (average of five minutes: one minute is noise).
 */
export const hostResources: Tool<Args> = {
  name: 'host_resources',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  appliesTo: (node) => node.kind === 'host' && isLocal(node),
  denied: localProbesOff,
  argsFor: (node) => ({ node: node.id }),
  run,
};

/** No endpoint means this machine; another machine cannot be measured from here. */
function isLocal(node: TopologyNode): boolean {
  if (node.endpoint === undefined) return true;
  return ['localhost', '127.0.0.1', '::1', hostname().toLowerCase()].includes(
    hostOf(node)?.toLowerCase() ?? '',
  );
}

interface Level {
  metric: string;
  kind: FailureKind;
  percent: number;
  threshold: number;
  /** `memory`, and what is used of what. */
  what: string;
  used: string;
}

async function run(_args: Args, { node, signal, policy }: ToolContext): Promise<ToolResult> {
  if (!isLocal(node))
    throw new Error(
      `host_resources measures only the machine it runs on; the endpoint of ${node.id} is another one`,
    );
  const path = await allowedPath(node, policy);
  const thresholds = {
    disk: percentOf(node, 'diskPercent'),
    memory: percentOf(node, 'memoryPercent'),
    load: numberAttribute(node, 'loadPerCore', 2, ATTRIBUTE_BOUNDS.loadPerCore),
  };
  // A network file system whose server is unreachable never answers.
  const disk = await within(signal, timeoutMsOf(node), () => readDisk(path)).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw new Error(
        `the file system of ${path} cannot be read (${codeOf(error) || 'no reason given'})`,
        { cause: error },
      );
    },
  );
  const cores = availableParallelism();
  const [load1 = 0, load5 = 0, load15 = 0] = loadavg();
  const loadPerCore = round(load5 / cores, 2);
  const total = totalmem();
  const memoryUsed = total - freemem();
  const memoryPercent = round((memoryUsed / total) * 100);

  const levels: Level[] = [
    {
      metric: 'disk_percent',
      kind: 'disk-full',
      percent: disk.percent,
      threshold: thresholds.disk,
      what: `file system of ${path}`,
      used: `${showBytes(disk.free)} free`,
    },
    {
      metric: 'inodes_percent',
      kind: 'disk-full',
      percent: disk.inodesPercent,
      threshold: thresholds.disk,
      what: `inodes of ${path}`,
      used: `${disk.inodesFree} free`,
    },
    {
      metric: 'memory_percent',
      kind: 'memory',
      percent: memoryPercent,
      threshold: thresholds.memory,
      what: 'memory',
      used: `${showBytes(memoryUsed)} of ${showBytes(total)} used`,
    },
  ];
  const issues = levels.flatMap(levelIssue);
  const judged = levels.flatMap(({ metric, percent, threshold }) =>
    atMost(metric, percent, threshold),
  );
  if (loadPerCore > thresholds.load) {
    const detail = `${round(load5, 2)} runnable processes on ${cores} cores over five minutes, ${loadPerCore} per core; expected at most ${thresholds.load}.`;
    // Many runnable processes do no harm by themselves: a hint, not an explanation.
    issues.push({
      severity: 'warning',
      symptom: 'advisory',
      kind: 'cpu-saturated',
      title: `load of ${loadPerCore} per core`,
      detail,
    });
  }
  judged.push(...atMost('load_per_core', loadPerCore, thresholds.load));
  const summary = [
    ...levels.flatMap(levelText),
    `load ${loadPerCore} per core${overText(loadPerCore, thresholds.load)}`,
  ].join(', ');
  const measurements = {
    path,
    disk_percent: disk.percent,
    disk_total_bytes: disk.total,
    disk_free_bytes: disk.free,
    inodes_percent: disk.inodesPercent,
    memory_percent: memoryPercent,
    memory_total_bytes: total,
    memory_used_bytes: memoryUsed,
    cores,
    load_1m: round(load1, 2),
    load_5m: round(load5, 2),
    load_15m: round(load15, 2),
    load_per_core: loadPerCore,
  };
  return toolResult(summary, measurements, issues, judged);
}

const percentOf = (node: TopologyNode, name: string) => numberAttribute(node, name, 90, [1, 100]);

const overText = (value: number, most: number, unit = ''): string =>
  value > most ? ` (expected at most ${most}${unit})` : '';

/** The inodes only if there are too few, because they rarely matter. */
const levelText = ({ metric, percent, threshold }: Level): string[] =>
  percent <= threshold && metric === 'inodes_percent'
    ? []
    : [`${metric.replace('_percent', '')} ${percent} %${overText(percent, threshold, ' %')}`];

function levelIssue({ what, kind, percent, threshold, used }: Level): Issue[] {
  const full = percent >= Math.max(FULL_PERCENT, threshold);
  if (!full && percent <= threshold) return [];
  const symptom: Symptom = full ? 'saturated' : 'advisory';
  return [
    {
      severity: full ? 'critical' : 'warning',
      symptom,
      kind,
      title: `${what} ${percent} % used`,
      detail: `${used}; expected at most ${threshold} % used.`,
    },
  ];
}

/** As `df` counts: of what unprivileged programs may use. */
async function readDisk(path: string) {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  const used = blocks - bfree;
  return {
    percent: used + bavail === 0 ? 0 : round((used / (used + bavail)) * 100),
    total: blocks * bsize,
    free: bavail * bsize,
    inodesPercent: files === 0 ? 0 : round(((files - ffree) / files) * 100), // Some file systems have no inodes to count.
    inodesFree: ffree,
  };
}
