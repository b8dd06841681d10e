import type { IncidentFrame, Series } from '../../domain/telemetry/records.js';
import { finitePoints } from './finite-points.js';
import { plainName } from './meaning-of-metric.js';

/** A certificate that ended within the recording. */
export interface ExpiredCertificate {
  node: string;
  name: string;
  at: number;
}

/**
 * When a certificate ends, in seconds since 1970: blackbox_exporter, x509-certificate-exporter,
 * cert-manager, Traefik, Envoy.
 */
const ENDS = /(cert|ssl|tls|x509)\w*(expir|not_after)/;
const LEAST_SECONDS = 1e9;

/**
 * Certificates whose end, as a metric has it, has come: such a series moves only when the
 * certificate is renewed.
 */
export function expiredCertificates(
  series: readonly Series[],
  { start, now }: IncidentFrame,
): ExpiredCertificate[] {
  return series.flatMap((each): ExpiredCertificate[] => {
    const { node, name } = each;
    if (node === undefined || !ENDS.test(plainName(name))) return [];
    const last = finitePoints(each).values.at(-1) ?? 0;
    const at = last * 1_000;
    return last >= LEAST_SECONDS && at > start && at <= now ? [{ node, name, at }] : [];
  });
}
