import { z } from 'zod';
import { ATTRIBUTE_BOUNDS } from '../../domain/topology/node-attributes.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { pause } from '../../lib/async.js';
import { nodeArgument } from '../arguments.js';
import {
  numberAttribute,
  slowMsOf,
  textAttribute,
  timeoutMsOf,
  trustOptionsOf,
} from '../attributes.js';
import { showUrl, urlOf } from '../net/endpoint.js';
import { exchange } from '../net/http-exchange.js';
import { faultIssue, type NetworkFault } from '../net/network-error.js';
import { atMost, round, slowIssue, toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { parseStubStatus, type StubStatus } from './stub-status.js';

const MOST_BYTES = 4_096;
/** The share of the allowed connections of nginx. */
const FULL_PERCENT = 80;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Reads the connections of an nginx twice. Attributes: `nginxStatusPath` (the location of
 * stub_status), `nginxConnections` (worker_processes times worker_connections; absent: not judged),
 * `intervalMs` between the reads (100 to 10,000; default 1,000), `slowMs`, `timeoutMs`.
 */
export const nginxStatus: Tool<Args> = {
  name: 'nginx_status',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  appliesTo: (node) =>
    node.kind === 'service' &&
    typeof node.attributes['nginxStatusPath'] === 'string' &&
    urlOf(node, 'http:', 'https:') !== undefined,
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal } = context;
  const url = statusUrlOf(context);
  const intervalMs = numberAttribute(node, 'intervalMs', 1_000, ATTRIBUTE_BOUNDS.intervalMs);
  const most = numberAttribute(node, 'nginxConnections', 0);
  const first = await read(url, context);
  if ('issue' in first) return toolResult(first.issue.title, { url: showUrl(url) }, [first.issue]);
  await pause(intervalMs, signal);
  const second = await read(url, context);
  if ('issue' in second) {
    // One of the two reads was answered.
    const title = `the second look failed: ${second.issue.title}`;
    return toolResult(title, { url: showUrl(url) }, [
      { ...second.issue, severity: 'warning', title },
    ]);
  }
  const { status, latencyMs } = second;
  const percent = most === 0 ? undefined : round((100 * status.active) / most);
  const issues = [
    ...droppedIssues(first.status, status),
    ...fullIssues(percent, { active: status.active, most }),
    ...slowIssue('shows its status', latencyMs, slowMsOf(node), 'Reading it took'),
  ];
  const measurements = {
    url: showUrl(url),
    interval_ms: intervalMs,
    latency_ms: latencyMs,
    ...status,
    requests_per_second: round((1_000 * (status.requests - first.status.requests)) / intervalMs),
    dropped: status.accepted - status.handled,
    ...(percent !== undefined && { connections_percent: percent }),
  };
  const summary = issues[0]?.title ?? `${status.active} connections, none dropped`;
  const judged = percent === undefined ? [] : atMost('connections_percent', percent, FULL_PERCENT);
  return toolResult(summary, measurements, issues, judged);
}

/** @throws if the location leads to another host */
function statusUrlOf({ node }: ToolContext): URL {
  const base = urlOf(node, 'http:', 'https:');
  const path = textAttribute(node, 'nginxStatusPath');
  if (!base || path === undefined || !/^\/(?!\/)\S*$/.test(path))
    throw new Error(
      `nginx_status needs an HTTP endpoint and nginxStatusPath, a path; see ${node.id}`,
    );
  const url = new URL(path, base.origin);
  [url.username, url.password] = [base.username, base.password];
  return url;
}

async function read(
  url: URL,
  context: ToolContext,
): Promise<{ status: StubStatus; latencyMs: number } | { issue: Issue }> {
  const { node } = context;
  const trust = trustOptionsOf(node);
  const { answer, fault } = await exchange(url, {
    context,
    trust,
    timeoutMs: timeoutMsOf(node),
    maxBytes: MOST_BYTES,
  });
  if (fault) return { issue: issueOf(fault, `the status of an nginx at ${showUrl(url)}`) };
  if (!answer) throw new Error('an exchange with neither answer nor fault');
  if (answer.status === 401 || answer.status === 403)
    throw new Error(`it does not show its status to this address (status ${answer.status})`);
  const status = answer.status === 200 ? parseStubStatus(answer.body) : undefined;
  // Another program answers there: this shows nothing about the service.
  if (status === undefined)
    throw new Error(`${showUrl(url)} is no page of stub_status (status ${answer.status})`);
  return { status, latencyMs: answer.latencyMs };
}

/**
 * An nginx of which all worker_connections are in use accepts a connection and closes it at once,
 * as one does whose worker ends.
 */
function issueOf(fault: NetworkFault, expected: string): Issue {
  const issue = faultIssue(fault, expected);
  if (fault.kind !== 'reset') return issue;
  return {
    ...issue,
    steps: 'nginx-closes',
    title: `closes connections unanswered: ${issue.title}`,
    detail: `${issue.detail} nginx does so while all its worker_connections are in use, and where a worker ends: its error log says which.`,
  };
}

/**
 * Connections that were accepted and closed at once: `worker_connections` or the limit of open
 * files is reached.
 */
function droppedIssues(first: StubStatus, second: StubStatus): Issue[] {
  const ever = second.accepted - second.handled;
  const now = ever - (first.accepted - first.handled);
  if (ever <= 0) return [];
  const detail = `${ever} of ${second.accepted} since its start: worker_connections or the limit of open files was reached.`;
  return now > 0
    ? [
        {
          severity: 'critical',
          symptom: 'saturated',
          kind: 'capacity',
          steps: 'nginx-connections',
          title: `drops connections: ${now} between two readings`,
          detail,
        },
      ]
    : [{ severity: 'info', symptom: 'advisory', title: `has dropped ${ever} connections`, detail }];
}

function fullIssues(
  percent: number | undefined,
  { active, most }: { active: number; most: number },
): Issue[] {
  if (percent === undefined || percent <= FULL_PERCENT) return [];
  return [
    {
      severity: 'warning',
      symptom: 'saturated',
      kind: 'capacity',
      steps: 'nginx-connections',
      title: `${active} of ${most} connections are in use`,
      detail: `Expected at most ${FULL_PERCENT} %.`,
    },
  ];
}
