import {
  checkServerIdentity,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import type { JsonObject } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { UNTRUSTED_CODES } from '../../sources/http/connection-words.js';
import type { TrustOptions } from '../attributes.js';
import { showSpan } from '../result.js';
import { clean } from './endpoint.js';

const DAY_MS = 86_400_000;
const MOST_IN_CHAIN = 8;
/** Maximum characters of the names that are shown. All of them are compared with the host. */
const MOST_NAMES_TEXT = 8_000;
/** The entry of the catalogue of next steps for a certificate that no authority renews. */
export const SELF_SIGNED_EXPIRED = 'self-signed-expired';
const UNKNOWN_ISSUER = new Set<string>(UNTRUSTED_CODES);

/** The certificate of a TLS handshake, and its critical faults. */
export interface CertificateFacts {
  /**
   * Whole days until the certificate of the server expires; negative once it has. Null if it sent
   * none.
   */
  daysLeft: number | null;
  subject: string;
  /** `certificate of localhost`; states if no authority can renew it. */
  named: string;
  isSelfSigned: boolean;
  measurements: JsonObject;
  issues: Issue[];
}

/** Reads the server's certificate and judges it by date, name and chain. `now` in milliseconds. */
export function readCertificate(
  tls: TLSSocket,
  {
    host,
    trust,
    node,
    now,
  }: { host: string; trust: TrustOptions; node: TopologyNode; now: number },
): CertificateFacts {
  const leaf = tls.getPeerCertificate(true);
  // Typed as always present, but it is an empty object if the server sent no certificate.
  if (!(leaf as Partial<PeerCertificate>).valid_to) {
    const issue: Issue = {
      severity: 'critical',
      symptom: 'invalid',
      title: 'shows no certificate',
      detail: 'The TLS handshake ended without a certificate of the server.',
    };
    return {
      daysLeft: null,
      subject: 'none',
      named: 'certificate of none',
      isSelfSigned: false,
      measurements: { protocol: tls.getProtocol() },
      issues: [issue],
    };
  }
  const name = trust.serverName ?? host;
  const chain = chainOf(leaf);
  const subject = nameOf(leaf.subject, node);
  const isSelfSigned = leaf.issuerCertificate === leaf;
  const named = `${isSelfSigned ? 'self-signed ' : ''}certificate of ${subject}`;
  const ends = Date.parse(leaf.valid_to);
  const daysLeft = Number.isNaN(ends) ? null : Math.floor((ends - now) / DAY_MS);
  // At run time a code, though typed as an Error.
  const code = tls.authorized ? undefined : String(tls.authorizationError);
  const mismatch = checkServerIdentity(name, leaf);
  const names = (leaf.subjectaltname ?? '')
    .slice(0, MOST_NAMES_TEXT)
    .split(', ')
    .filter((each) => each !== '');
  const trusted = code === undefined || (trust.trustSelfSigned && UNKNOWN_ISSUER.has(code));

  const issues: Issue[] = [];
  // The certificate chooses the names in the title.
  const fault = (title: string, detail: string, more: Pick<Issue, 'kind' | 'steps'> = {}) =>
    issues.push({
      severity: 'critical',
      symptom: 'invalid',
      kind: 'config',
      ...more,
      title,
      detail,
    });
  if (daysLeft === null) {
    fault(`certificate of ${subject} has no readable end`, 'Its validity is no date.');
  } else if (ends <= now) {
    fault(
      `${named} expired on ${day(leaf.valid_to)}`,
      `Valid until ${day(leaf.valid_to)}, ${showSpan(now - ends)} ago; clients that verify refuse to connect.`,
      { kind: 'certificate-expired', ...(isSelfSigned && { steps: SELF_SIGNED_EXPIRED }) },
    );
  } else if (Date.parse(leaf.valid_from) > now) {
    fault(
      `certificate of ${subject} is not valid yet`,
      `Valid from ${day(leaf.valid_from)}; clients that verify refuse to connect.`,
      { kind: 'certificate-expired', steps: 'certificate-not-valid-yet' },
    );
  } else if (code === 'CERT_HAS_EXPIRED') {
    const expired = chain.find((each) => Date.parse(each.valid_to) <= now);
    fault(
      'a certificate of the chain has expired',
      `The certificate of ${subject} is in date, but ${expired ? `its issuer ${nameOf(expired.subject, node)} ended on ${day(expired.valid_to)}` : 'an issuer of it is not'}.`,
      { kind: 'certificate-expired' },
    );
  } else if (!trusted) {
    const what =
      code === 'DEPTH_ZERO_SELF_SIGNED_CERT' ? 'is self-signed' : 'has no trusted issuer';
    fault(
      `certificate of ${subject} ${what} (${code})`,
      `Issued by ${nameOf(leaf.issuer, node)}. ${trust.ca === undefined ? 'If that is meant, set the attribute trustSelfSigned or ca.' : 'That is not the issuer of the attribute ca: correct the certificate, or ca.'}`,
      { steps: 'certificate' },
    );
  }
  if (mismatch) {
    fault(
      `certificate of ${subject} is not for ${name}`,
      `Expected the name ${name}; the certificate names ${clean(names.join(', '), node, 200) || 'none'}.`,
      { steps: 'certificate' },
    );
  }

  return {
    daysLeft,
    subject,
    named,
    isSelfSigned,
    issues,
    measurements: {
      subject,
      issuer: nameOf(leaf.issuer, node),
      names: names.slice(0, 20).map((each) => clean(each, node, 100)),
      valid_from: timeOf(leaf.valid_from) ?? null,
      valid_to: timeOf(leaf.valid_to) ?? null,
      days_left: daysLeft,
      trusted,
      verify_code: code ?? null,
      host_matches: mismatch === undefined,
      protocol: tls.getProtocol(),
      cipher: tls.getCipher().name,
      chain: chain.map((each) => ({
        subject: nameOf(each.subject, node),
        issuer: nameOf(each.issuer, node),
        valid_to: day(each.valid_to),
      })),
    },
  };
}

/**
 * From the server's certificate upwards. A self-signed one is its own issuer, which ends the walk.
 */
function chainOf(leaf: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  let next: DetailedPeerCertificate | undefined = leaf;
  while (next && chain.length < MOST_IN_CHAIN && !chain.includes(next)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

/** `2026-11-22`, or the server's text in place of a date. */
const day = (date: string) => timeOf(date)?.slice(0, 10) ?? 'an unreadable date';

/** ISO 8601; undefined if it is not a date that JavaScript can parse. */
function timeOf(date: string): string | undefined {
  const time = new Date(date);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function nameOf(party: PeerCertificate['subject'], node: TopologyNode): string {
  const parts = party as Partial<Record<string, string | string[]>>;
  return clean(String(parts['CN'] ?? parts['O'] ?? parts['OU'] ?? 'an unnamed party'), node, 120);
}
