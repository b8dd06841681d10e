import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AlertSource } from './alert.js';

/** Maximum difference between the time of a signature and ours. */
const WINDOW_SECONDS = 300;

/** A signature is good, or the reason why it is not. */
export type SignatureCheck =
  | {
      kind: 'good';
      /**
       * Equal only for repetitions of this delivery; undefined if honest deliveries may be equal.
       */
      delivery?: string;
    }
  | { kind: 'bad'; reason: string };

interface SignedRequest {
  headers: IncomingHttpHeaders;
  body: Buffer;
  secrets: readonly string[];
  /** ms since the epoch. */
  now: number;
}

/** The header that has the signature of a source; Alertmanager signs nothing. */
const SIGNATURE_HEADER: Partial<Record<AlertSource, string>> = {
  grafana: 'x-grafana-alerting-signature',
  pagerduty: 'x-pagerduty-signature',
  generic: 'x-consilium-signature',
};
const GRAFANA_TIMESTAMP = 'x-grafana-alerting-timestamp';

const bad = (reason: string): SignatureCheck => ({ kind: 'bad', reason });

/**
 * Verifies the signature of a delivery with any of the secrets. There are two during a rotation.
 */
export function verifySignature(source: AlertSource, signed: SignedRequest): SignatureCheck {
  const name = SIGNATURE_HEADER[source];
  const header = name === undefined ? undefined : signed.headers[name];
  if (typeof header !== 'string' || header === '') return bad(`there is no header ${name ?? ''}`);
  const value = header.slice(0, 4_000);
  switch (source) {
    case 'generic':
      return verifyGeneric(value, signed);
    case 'pagerduty':
      return verifyPagerDuty(value, signed);
    case 'grafana':
      return verifyGrafana(value, signed);
    case 'alertmanager':
      return bad('Alertmanager does not sign');
  }
}

/** `t=SECONDS,v1=HEX[,v1=HEX]`: HMAC-SHA256 of `SECONDS.BODY`. */
function verifyGeneric(header: string, signed: SignedRequest): SignatureCheck {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?]);
  const time = parts.find(([key]) => key === 't')?.[1];
  const given = parts.flatMap(([key, value]) => (key === 'v1' && value ? [value] : []));
  return verifyTimed(time, given, '.', signed);
}

/**
 * `v1=HEX[,v1=HEX]`: HMAC-SHA256 of the body.
 * https://developer.pagerduty.com/docs/verifying-webhook-signatures
 */
function verifyPagerDuty(header: string, { body, secrets }: SignedRequest): SignatureCheck {
  const given = header.split(',').flatMap((part) => /^\s*v1=(\S+)\s*$/.exec(part)?.[1] ?? []);
  return matches(given, [body], secrets)
    ? { kind: 'good', delivery: digest(body) } // Each event has its own id.
    : bad('the signature does not fit the body');
}

/**
 * HEX: HMAC-SHA256 of the body, or of `SECONDS:BODY` if the contact point sends the header of the
 * time.
 * https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
function verifyGrafana(header: string, signed: SignedRequest): SignatureCheck {
  const time = signed.headers[GRAFANA_TIMESTAMP];
  if (typeof time === 'string') return verifyTimed(time, [header.trim()], ':', signed);
  return matches([header.trim()], [signed.body], signed.secrets)
    ? { kind: 'good' }
    : bad('the signature does not fit the body');
}

function verifyTimed(
  time: string | undefined,
  given: readonly string[],
  separator: string,
  { body, secrets, now }: SignedRequest,
): SignatureCheck {
  if (time === undefined || !/^\d{1,12}$/.test(time)) return bad('the signature has no time');
  if (Math.abs(now / 1_000 - Number(time)) > WINDOW_SECONDS)
    return bad(`the time of the signature is more than ${WINDOW_SECONDS} s from ours`);
  const text = Buffer.from(`${time}${separator}`);
  return matches(given, [text, body], secrets)
    ? { kind: 'good', delivery: digest(text, body) }
    : bad('the signature does not fit the body');
}

function matches(given: readonly string[], parts: Buffer[], secrets: readonly string[]): boolean {
  const expected = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret);
    parts.forEach((part) => hmac.update(part));
    return hmac.digest();
  });
  const candidates = given.slice(0, 10).map((hex) => Buffer.from(hex, 'hex'));
  return expected.some((one) =>
    candidates.some((other) => other.length === one.length && timingSafeEqual(one, other)),
  );
}

function digest(...parts: Buffer[]): string {
  const hash = createHash('sha256');
  parts.forEach((part) => hash.update(part));
  return hash.digest('hex');
}
