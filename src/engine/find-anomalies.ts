import { quietUntilOf, type AlertRecord, type Span } from '../domain/telemetry/records.js';
import { groupBy } from '../lib/group-by.js';
import { mainAlert, nodeOfAlert } from './alert-subject.js';
import { callsIn, connectedTo } from './call-graph.js';
import { refutationOf } from './calm/refuted-alert.js';
import { seriesOfSettings } from './changes/live-settings.js';
import { knownElsewhere } from './logs/known-elsewhere.js';
import { isGone, isHealed, isNew, mayBeChance, type LogTemplate } from './logs/log-templates.js';
import { passedSpell } from './logs/spell.js';
import { surging } from './logs/surge.js';
import { isWorse, type Anomalies, type MovedSeries, type Observations } from './observations.js';
import { beyondTraffic, isTraffic } from './series/beyond-traffic.js';
import { endedTargets } from './series/ended-targets.js';
import { expiredCertificates } from './series/expired-certificates.js';
import { onsetOf } from './series/onset/first-kill.js';
import { saturations } from './series/saturation.js';
import { showFailure } from './series/show-failure.js';

const SLOWER = 5;

/** The anomalies, with the evidence against the alert. */
export function findAnomalies(seen: Observations): Anomalies {
  const { frame, series, templates, spans } = seen;
  const reportedAt = frame.reportedAt ?? frame.now;
  const quietUntil = quietUntilOf(frame);
  const alert = mainAlert(seen);
  const alertNode = nodeOfAlert(seen);
  const all = series.flatMap((each): MovedSeries[] => {
    const onset = onsetOf(each, frame.now, frame.baseline, quietUntil);
    return onset ? [{ ...each, onset }] : [];
  });
  const settings = seriesOfSettings(seen.changes, all);
  const moved = all.filter((each) => !settings.includes(each));
  const isFar = farFrom(alertNode, seen);
  const known = knownElsewhere(
    templates,
    frame,
    seen.nodes.map(({ id }) => id),
  );
  const appeared = [
    ...templates.filter((template) => isNew(template, quietUntil) && !known.has(template)),
    ...surging(templates, frame),
  ];
  const failedSpans = spans.filter(({ error }) => error !== undefined);
  const slowSpans = findSlow(spans, quietUntil);
  const complaints = appeared.filter(({ error, warning }) => error || warning);
  const errors = appeared.filter(({ error }) => error);
  const refutation = refutationOf(seen, alert, alertNode, { moved, complaints, isFar });
  /** The evidence against the alert has not examined it. */
  const isOpen = ({ node }: { node?: string }) => refutation?.isThorough !== true || isFar(node);
  const passed = passedSpell(errors, templates, frame.now);
  const main = mainOnset(moved, appeared, alertNode, alert) ?? reportedAt;
  const starts = [
    ...beyondTraffic(moved, series).map(({ node, onset }) => ({ node, at: onset.at })),
    ...complaints
      .filter((each) => !mayBeChance(each, frame))
      .map(({ node, first }) => ({ node, at: first })),
    ...failedSpans
      .filter(({ start }) => start > quietUntil)
      .map(({ node, start }) => ({ node, at: start })),
  ].filter(({ node }) => !isFar(node));
  return {
    ...(alert && { alert }),
    ...(alertNode !== undefined && { alertNode }),
    ...(refutation && { refutation: refutation.says }),
    isAlerted: refutation === undefined && seen.nodes.some(({ id }) => id === alertNode),
    reportedAt,
    quietUntil,
    moved,
    settings,
    appeared,
    failedSpans,
    slowSpans,
    isFar,
    gone: templates.filter((template) => isGone(template, reportedAt)),
    mainOnset: main,
    firstOnset: Math.min(main, ...starts.map(({ at }) => at)),
    ...(passed && { passed }),
    showsFailure:
      (errors.some((each) => isOpen(each) && !mayBeChance(each, frame) && !isHealed(each)) &&
        passed === undefined) ||
      failsMore(spans, quietUntil) ||
      showFailure(moved.filter(isOpen), series) ||
      saturations(series, frame).length > 0 ||
      expiredCertificates(series, frame).length > 0 ||
      endedTargets(series, frame).length > 0,
  };
}

function farFrom(id: string | undefined, seen: Observations): Anomalies['isFar'] {
  const near = connectedTo(id ?? '', callsIn(seen));
  return (node) => node !== undefined && near.size > 1 && !near.has(node);
}

/** Alerts fire some time after their cause began. Only if nothing began then, it began before. */
const ALERT_DELAY_MS = 60 * 60_000;

/** Standard deviations of a count, as chance makes it vary, from which it is not chance. */
const BEYOND_CHANCE = 3;
/** One or two failures are chance, however few the quiet time makes expected. */
const LEAST_VARIANCE = 0.25;

/**
 * Whether more spans of an operation fail than the quiet time makes expected: some requests fail in
 * normal operation.
 */
function failsMore(spans: readonly Span[], quietUntil: number): boolean {
  const byOperation = groupBy(spans, ({ node = '', name }) => `${node} ${name}`);
  return [...byOperation.values()].some((all) => {
    const quiet = all.filter(({ start }) => start <= quietUntil);
    const failed = quiet.filter(({ error }) => error !== undefined).length;
    const failing = all.filter(({ error }) => error !== undefined).length - failed;
    if (quiet.length === 0) return failing > 0;
    const expected = ((failed + 0.5) / (quiet.length + 1)) * (all.length - quiet.length);
    return failing - expected > BEYOND_CHANCE * Math.sqrt(expected + LEAST_VARIANCE);
  });
}

function mainOnset(
  moved: readonly MovedSeries[],
  appeared: readonly LogTemplate[],
  node: string | undefined,
  alert: AlertRecord | undefined,
): number | undefined {
  const metric = alert?.labels['metric'];
  const named = moved.filter(
    (each) =>
      node !== undefined &&
      each.node === node &&
      (metric === undefined ? isWorse(each) : each.name === metric),
  );
  // More requests are no failure yet.
  const failing = named.filter((each) => !isTraffic(each));
  const first = (times: number[]) => (times.length > 0 ? Math.min(...times) : undefined);
  const starts = (failing.length > 0 ? failing : named).map(({ onset }) => onset.at);
  const since = (alert?.startsAt ?? NaN) - ALERT_DELAY_MS;
  return (
    first(starts.filter((at) => at >= since)) ??
    first(starts) ??
    first(appeared.filter(({ error }) => error).map((template) => template.first))
  );
}

/** Spans that take five times as long as their operation did in the quiet time. */
function findSlow(spans: readonly Span[], quietUntil: number): Span[] {
  const quickest = new Map<string, number>();
  const keyOf = ({ node = '', name }: Span) => `${node}|${name}`;
  for (const span of spans)
    if (span.start <= quietUntil)
      quickest.set(keyOf(span), Math.min(quickest.get(keyOf(span)) ?? Infinity, span.durationMs));
  return spans.filter(
    (span) =>
      span.error === undefined &&
      span.start > quietUntil &&
      span.durationMs > SLOWER * (quickest.get(keyOf(span)) ?? Infinity),
  );
}
