import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { nodeArgument } from '../arguments.js';
import { attributeError } from '../attributes.js';
import { clean } from '../net/endpoint.js';
import { findProcesses, type ProcessFacts, readProcess, seesOthers } from '../net/proc.js';
import { round, showBytes, toolResult } from '../result.js';
import { localProbesOff } from '../probe-policy.js';
import type { Tool, ToolContext } from '../tool.js';
import { pause } from '../../lib/async.js';

/** Time between two reads of the processor time. */
const INTERVAL_MS = 250;
const MOST_SHOWN = 10;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/** Attributes: `process` (a name, see {@link findProcesses}) or `pid`. Linux only. */
export const processCheck: Tool<Args> = {
  name: 'process_check',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  appliesTo: (node) => node.kind === 'process' && targetOf(node) !== undefined,
  denied: localProbesOff,
  argsFor: (node) => ({ node: node.id }),
  run,
};

/** The process that the attributes name, if they do. */
function targetOf({ attributes }: TopologyNode): { pid: number } | { name: string } | undefined {
  const { pid, process: name } = attributes;
  if (typeof pid === 'number' && Number.isInteger(pid) && pid > 0) return { pid };
  return typeof name === 'string' && name !== '' ? { name } : undefined;
}

async function run(_args: Args, { node, signal }: ToolContext): Promise<ToolResult> {
  signal.throwIfAborted();
  const target = targetOf(node);
  if (!target)
    throw attributeError(
      node,
      node.attributes['pid'] === undefined ? 'process' : 'pid',
      'the name or the pid of a process',
    );
  if (process.platform !== 'linux')
    throw new Error(
      `process_check reads /proc, which ${process.platform} does not have: run the worker on Linux, or give the node another kind`,
    );
  const shown = 'pid' in target ? `pid ${target.pid}` : clean(target.name, node, 100);

  const pids = 'pid' in target ? [target.pid] : await findProcesses(target.name);
  const before = await readAll(pids);
  if (before.length === 0 && !(await seesOthers()))
    throw new Error(
      `${shown} is not among the processes that this service may see: /proc hides those of other users (hidepid)`,
    );
  const started = performance.now();
  if (before.length > 0) await pause(INTERVAL_MS, signal);
  const after = await readAll(before.map(({ pid }) => pid));
  const seconds = (performance.now() - started) / 1000;

  const instances = after.map((facts) => ({
    pid: facts.pid,
    name: clean(facts.name, node, 40),
    state: facts.state,
    parent_pid: facts.parentPid,
    cpu_percent: round(
      ((facts.cpuSeconds -
        (before.find(({ pid }) => pid === facts.pid)?.cpuSeconds ?? facts.cpuSeconds)) /
        seconds) *
        100,
    ),
    rss_bytes: facts.rssBytes,
    uptime_s: round(facts.uptimeSeconds),
    threads: facts.threads,
  }));
  const alive = instances.filter(({ state }) => !'ZX'.includes(state));
  const measurements = {
    target: shown,
    running: alive.length,
    instances: instances.slice(0, MOST_SHOWN),
    instance_count: instances.length,
  };
  const issues = issuesOf(shown, after, before.length);
  const first = alive[0];
  const summary =
    issues[0]?.title ??
    (first
      ? `${shown} runs (pid ${first.pid}${alive.length > 1 ? ` and ${alive.length - 1} more` : ''}), ${showBytes(first.rss_bytes)}, ${first.cpu_percent} % of a core, up ${Math.round(first.uptime_s)} s`
      : shown);
  return toolResult(summary, measurements, issues);
}

const readAll = async (pids: readonly number[]): Promise<ProcessFacts[]> =>
  (await Promise.all(pids.map(readProcess))).filter((facts) => facts !== undefined);

function issuesOf(shown: string, now: readonly ProcessFacts[], seenBefore: number): Issue[] {
  const zombies = now.filter(({ state }) => state === 'Z');
  const stopped = now.filter(({ state }) => state === 'T' || state === 't');
  const works = now.length - zombies.length - stopped.length;
  const ids = (list: readonly ProcessFacts[]) =>
    list
      .slice(0, 5)
      .map(({ pid, parentPid }) => `${pid} (parent ${parentPid})`)
      .join(', ');
  const issue = (severity: Issue['severity'], title: string, detail: string): Issue => ({
    severity,
    symptom: severity === 'critical' ? 'unreachable' : 'advisory',
    title,
    detail,
  });
  if (now.length === 0) {
    const detail =
      seenBefore > 0
        ? 'It ended while it was looked at; expected it to go on.'
        : 'No process of this name or id; expected at least one.';
    return [{ ...issue('critical', `process ${shown} is not running`, detail), kind: 'crash' }];
  }
  if (works === 0 && stopped.length > 0)
    return [
      issue(
        'critical',
        `process ${shown} is stopped`,
        `Stopped by a signal: ${ids(stopped)}; expected it to run.`,
      ),
    ];
  if (works === 0)
    return [
      issue(
        'critical',
        `process ${shown} is a zombie`,
        `It has ended and its parent has not collected it: ${ids(zombies)}; expected it to run.`,
      ),
    ];
  const idle = [...zombies, ...stopped];
  return idle.length === 0
    ? []
    : [
        issue(
          'warning',
          `${idle.length} of ${now.length} processes of ${shown} ${idle.length === 1 ? 'is a zombie or stopped' : 'are zombies or stopped'}`,
          `${ids(idle)}; the others run.`,
        ),
      ];
}
