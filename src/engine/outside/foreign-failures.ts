import { isForeign } from '../../domain/topology/foreign-node.js';
import type { ExternalCause } from './external-cause.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import { nodesNamedInLine } from '../logs/named-in-line.js';
import type { Observations, Anomalies } from '../observations.js';

const LOOKED_AT = 20_000;

const HOST_LABELS = ['upstream.host', 'net.peer.name', 'peer.service', 'server.address'] as const;
/** OpenTelemetry's attribute name since and before version 1.23 of its semantic conventions. */
const STATUS_LABELS = ['upstream.status', 'http.response.status_code', 'http.status_code'] as const;
const INTERNAL = /\.(svc|local|internal|cluster)(\.|$)/;
/** Addresses of the own network: private, local and shared ones (RFC 1918, RFC 6598). */
const PRIVATE =
  /^(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+$/;

/**
 * An error that names the called URL, and the status of the answer: `fetch
 * https://login.example/keys: 503 Service Unavailable`.
 */
const ANSWERED =
  /\bhttps?:\/\/([\w.-]{1,253})[^\s"]{0,500}?["\s:,]{1,5}(?:\w+ ){0,4}?(5\d\d|429)\b/;

/** An unreachable host: `connect to mx.example.com[198.51.100.1]:25: Connection timed out`. */
const NOT_REACHED =
  /\bconnect(?:ion|ing|ed)? (?:to|with) ((?:[\w-]{1,63}\.){1,9}[a-z]{2,24})(?:\[[\da-f.:]{2,45}\])?(?::\d{1,5})?[^\n]{0,40}?(?:timed out|refused|unreachable|no route|reset)/i;

/** Calls to a host outside of the system that fail, or are refused because of their number. */
export function foreignFailures({ nodes }: Observations, anomalies: Anomalies): ExternalCause[] {
  const own = nodes.map(({ id }) => id.toLowerCase());
  const failed = [
    ...anomalies.appeared.map(({ sample, node }) => ({ labels: sample.labels, node })),
    ...anomalies.failedSpans.map(({ attributes, node }) => ({ labels: attributes, node })),
  ].map(({ labels, node }) => ({
    node,
    host:
      HOST_LABELS.map((label) => labels[label]).find((value) => value !== undefined) ??
      /^https?:\/\/([^/:]+)/.exec(labels['http.url'] ?? '')?.[1],
    code: Number(
      STATUS_LABELS.map((label) => labels[label]).find((value) => value !== undefined) ?? 0,
    ),
  }));
  const said = anomalies.appeared.flatMap(({ error, warning, sample, node }) => {
    if (!error && !warning) return [];
    const body = sample.body.slice(0, LOOKED_AT);
    const [, host, code = 0] = ANSWERED.exec(body) ?? NOT_REACHED.exec(body) ?? [];
    return host === undefined || nodesNamedInLine(host, nodes).length > 0
      ? []
      : [{ host, node, code: Number(code) }];
  });
  return [...failed, ...said].flatMap(({ host, code, node }): ExternalCause[] => {
    if (host === undefined || !host.includes('.')) return [];
    if (INTERNAL.test(host) || PRIVATE.test(host)) return [];
    if (own.some((id) => host.toLowerCase().startsWith(id))) return [];
    if (code < 500 && code !== 429 && code !== 0) return [];
    const says = `calls to ${host} fail${code > 0 ? ` with ${code}` : ''}`;
    return [{ kind: 'provider-outage', strength: 0.85, says, ...(node !== undefined && { node }) }];
  });
}

/** A statement of the provider itself that it cannot serve requests. */
const SERVER_ERROR = /(?<![\w.])50[0234](?![\w.]|\s?ms)/;
const NO_ANSWER: ReadonlySet<string | undefined> = new Set(['timeout', 'unreachable']);

/**
 * Nodes of another organisation that, according to a caller, answer with a server error, or several
 * that do not answer: if only one does not, the caller's own network may be the cause.
 */
export function remoteFailures({ nodes }: Observations, { appeared }: Anomalies): ExternalCause[] {
  return nodes.filter(isForeign).flatMap(({ id }): ExternalCause[] => {
    const said = appeared
      .filter((each) => (each.error || each.warning) && each.node !== undefined && each.node !== id)
      .map(({ node, sample }) => ({ node, body: sample.body.slice(0, LOOKED_AT) }))
      .filter(({ body }) => nodesNamedInLine(body, nodes).includes(id));
    const answered = said.find(({ body }) => SERVER_ERROR.test(body));
    const silent = said.filter(({ body }) => NO_ANSWER.has(kindOfText(body)?.kind));
    const telling =
      answered ?? (new Set(silent.map(({ node }) => node)).size > 1 ? silent[0] : undefined);
    return telling
      ? [{ kind: 'provider-outage', strength: 0.85, says: telling.body, node: id }]
      : [];
  });
}
