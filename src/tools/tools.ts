import { isRecorded, provides } from '../domain/topology/recorded.js';
import { alertmanagerAlerts } from './alertmanager-alerts/alertmanager-alerts.js';
import { dnsLookup } from './dns-lookup/dns-lookup.js';
import { elasticsearchInspect } from './elasticsearch-inspect/elasticsearch-inspect.js';
import { hostResources } from './host-resources/host-resources.js';
import { httpProbe } from './http-probe/http-probe.js';
import { kubernetesCheck } from './kubernetes-check/kubernetes-check.js';
import { kubernetesEvents } from './kubernetes-events/kubernetes-events.js';
import { kubernetesInspect } from './kubernetes-inspect/kubernetes-inspect.js';
import { kafkaInspect } from './kafka-inspect/kafka-inspect.js';
import { logPatterns } from './log-patterns/log-patterns.js';
import { logSearch } from './log-search/log-search.js';
import { metricsCheck } from './metrics-check/metrics-check.js';
import { metricsCompare } from './metrics-compare/metrics-compare.js';
import { rankRootCauses } from './rank-root-causes/rank-root-causes.js';
import { readChange } from './read-change/read-change.js';
import { recentChanges } from './recent-changes/recent-changes.js';
import { serviceGraph } from './service-graph/service-graph.js';
import { statusPages } from './status-pages/status-pages.js';
import { traceSearch } from './trace-search/trace-search.js';
import { metricsQuery } from './metrics-query/metrics-query.js';
import { mysqlInspect } from './mysql-inspect/mysql-inspect.js';
import { postgresInspect } from './postgres-inspect/postgres-inspect.js';
import { processCheck } from './process-check/process-check.js';
import { prometheusMetrics } from './prometheus-metrics/prometheus-metrics.js';
import { rabbitmqInspect } from './rabbitmq-inspect/rabbitmq-inspect.js';
import { restartProcess } from './restart-process/restart-process.js';
import { redisInspect } from './redis-inspect/redis-inspect.js';
import { tcpProbe } from './tcp-probe/tcp-probe.js';
import { tlsCertificate } from './tls-certificate/tls-certificate.js';
import { nginxStatus } from './nginx-status/nginx-status.js';
import type { Tool } from './tool.js';

/**
 * Marks a tool that measures targets themselves. It applies to a recorded incident only if captured
 * results exist, which then replace the measurement.
 */
const probe = (tool: Tool): Tool => ({
  ...tool,
  replayable: true,
  appliesTo: (node, sources) =>
    tool.appliesTo(node, sources) && (!isRecorded(sources) || provides(sources, 'probes')),
});

/**
 * Every built-in tool, in the order in which a worker uses those that apply: from the network up to
 * what a target reports about itself.
 */
export const diagnosticTools: readonly Tool[] = [
  ...[
    dnsLookup,
    tcpProbe,
    tlsCertificate,
    httpProbe,
    redisInspect,
    postgresInspect,
    mysqlInspect,
    rabbitmqInspect,
    kafkaInspect,
    elasticsearchInspect,
    alertmanagerAlerts,
  ].map(probe),
  ...[prometheusMetrics, nginxStatus, hostResources, processCheck].map(probe),
  kubernetesCheck,
  kubernetesEvents,
  probe(metricsCheck),
  metricsCompare,
  metricsQuery,
  logPatterns,
  logSearch,
  traceSearch,
  kubernetesInspect,
  serviceGraph,
  recentChanges,
  readChange,
  statusPages,
  rankRootCauses,
  restartProcess,
];
