import { textOfAlert } from '../alert-subject.js';
import { finitePoints } from '../series/finite-points.js';
import { plainName } from '../series/meaning-of-metric.js';
import type { AlertCase } from './alert-case.js';
import { goesOn } from './as-usual.js';
import { areComplaintsOver, isQuietAround } from './users-signals.js';

const OF_CERTIFICATE = /certificate|x509|\bcert\b|\b(tls|ssl)\b/i;
const OF_END = /expir|\bends?\b|valid|renew/i;
/** The expiry of served certificates: from the probes of blackbox_exporter and ssl_exporter. */
const SERVED = /probe_ssl\w*expiry|ssl_cert\w*not_after/;
const DAY = 24 * 60 * 60_000;
/** Renewals are due a month before the expiry, and fail for days before anyone notices. */
const LEAST_DAYS = 14;

/**
 * A certificate that expires soon is no failure if the served one expires much later: it is a
 * remainder from before its renewal.
 */
export function isRenewed(given: AlertCase): string | undefined {
  const { alert, node, seen, frame } = given;
  const text = textOfAlert(alert);
  if (!OF_CERTIFICATE.test(text) || !OF_END.test(text)) return undefined;
  const served = seen.series.filter(
    (each) => each.node === node && SERVED.test(plainName(each.name)) && goesOn(each, frame),
  );
  const ends = served.map((each) => 1_000 * (finitePoints(each).values.at(-1) ?? NaN));
  const first = Math.min(...ends);
  const isLate = ends.length > 0 && first > frame.now + LEAST_DAYS * DAY;
  return isLate && areComplaintsOver(given) && isQuietAround(given)
    ? `the certificate that ${node} serves ends on ${new Date(first).toISOString().slice(0, 10)}`
    : undefined;
}
