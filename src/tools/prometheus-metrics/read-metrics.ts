import type { Json } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { textAttribute, timeoutMsOf, trustOptionsOf } from '../attributes.js';
import { clean, credentialsOf, showUrl, urlOf } from '../net/endpoint.js';
import { exchange } from '../net/http-exchange.js';
import { faultIssue, type NetworkFault, wrongAddress } from '../net/network-error.js';
import { type Interest, type ScrapedMetrics, parseMetrics } from './prometheus-text.js';
import { round } from '../result.js';
import type { ToolContext } from '../tool.js';

export const MAX_BYTES = 2 * 1024 * 1024;

/** The purpose of a metric, by its name. */
export type InterestIn = (name: string) => Interest | undefined;

/** @throws if the node names no metrics */
export function metricsUrlOf(node: TopologyNode): URL {
  const base = urlOf(node, 'http:', 'https:');
  const path = textAttribute(node, 'metricsPath');
  if (!base || (path === undefined && node.kind !== 'prometheus'))
    throw new Error(
      `prometheus_metrics needs an http(s) endpoint, and of a service the attribute metricsPath; ${node.id} has not`,
    );
  if (path === undefined) return base;
  const url = new URL(path, base);
  if (url.origin !== base.origin)
    throw new Error(
      `attribute metricsPath of node ${node.id} must be a path on the host and port of the endpoint`,
    );
  [url.username, url.password] = [base.username, base.password];
  return url;
}

interface MetricsReading {
  metrics: ScrapedMetrics;
  latencyMs: number;
  complete: boolean;
  certificateIssues: Issue[];
}

interface NoReading {
  issues: Issue[];
  measurements: Record<string, Json>;
}

/**
 * Requests the page of metrics and parses the series of interest.
 * @throws if it needs a credential that the node does not have
 */
export async function readMetrics(
  url: URL,
  interestIn: InterestIn,
  context: ToolContext,
): Promise<MetricsReading | NoReading> {
  const { node } = context;
  const { answer, fault, certificate, credentialsWithheld } = await exchange(url, {
    context,
    trust: trustOptionsOf(node),
    timeoutMs: timeoutMsOf(node),
    maxBytes: MAX_BYTES,
  });
  const certificateIssues = certificate?.issues ?? [];
  const none = (
    why: Omit<NetworkFault, 'kind'>,
    excerpt: Record<string, Json> = {},
  ): NoReading => ({
    issues: [...certificateIssues, faultIssue(why, `Prometheus metrics at ${showUrl(url)}`)],
    measurements: { error: why.text, ...excerpt },
  });
  if (fault) return none(fault);
  if (!answer) throw new Error('an exchange with neither answer nor fault');
  const { status } = answer;
  const excerpt = { status, body_excerpt: clean(answer.body, node) };
  const isAnonymous = credentialsOf(url) === undefined || credentialsWithheld;
  // A page that requires a credential is no fault of its subject.
  if ((status === 401 || status === 403) && isAnonymous) {
    if (certificateIssues.length > 0) return { issues: certificateIssues, measurements: excerpt };
    throw new Error(`it does not show its metrics without a credential (status ${status})`);
  }
  if (status === 404) return none(wrongAddress(`metrics answer ${status}`), excerpt);
  if (status !== 200)
    return none(
      {
        symptom: 'erroring',
        text: `metrics answer ${status}`,
        ...((status === 401 || status === 403) && { failureKind: 'auth' as const }),
      },
      excerpt,
    );
  // A cut body ends within a line, which might read as another value.
  const text = answer.bodyComplete
    ? answer.body
    : answer.body.slice(0, answer.body.lastIndexOf('\n') + 1);
  const metrics = await parseMetrics(text, interestIn);
  // A page that is cut may begin with comments alone.
  const isCutInComments = !answer.bodyComplete && text !== '' && metrics.malformed === 0;
  if (metrics.series === 0 && !isCutInComments)
    return none(wrongAddress('the answer holds no Prometheus metrics'), excerpt);
  return {
    metrics,
    latencyMs: round(answer.latencyMs),
    complete: answer.bodyComplete,
    certificateIssues,
  };
}
