import { some, stringsIn, type DiffView } from './read-diff.js';
import type { Mechanism } from './mechanism.js';

const BOOLEAN = /(?<![\w.])([\w.]+)\s*[:=]+\s*(true|false)/;
/** A setting that holds a credential, whatever its value. */
const CREDENTIAL =
  /\b\w*(passw(or)?d|passphrase|secret|api_?key|access_?key|token|credentials?)\w*["']?\s*[:=]/i;

/**
 * What may reach what: policies of Kubernetes, Cilium and Istio, security groups, packet filters.
 */
const NETWORK_POLICY =
  /kind: ?\w*(NetworkPolicy|AuthorizationPolicy)\b|\b(pod|namespace)Selector\b|\bipBlock\b|aws_security_group|\bcidr_blocks\b|\biptables -/;

/**
 * Which name server answers for which names: of CoreDNS, BIND, unbound, dnsmasq, and of clients.
 */
const NAME_SERVER =
  /^forward \. |^[\w.-]{1,200}:53 ?\{|^nameserver [\da-f.:]|\b(stubDomains|upstreamNameservers|dnsPolicy|forwarders)\b|\b(stub|forward)-(zone|addr)\b|^zone "|^server=\/|^search [\w.-]+\./i;
/** What sets the clock of a machine: NTP (port 123, RFC 5905) and PTP. */
const CLOCK_SYNC = /\b(ntpd?|chronyd?|timesyncd|ptp4l)\b|port["']?\s*[:=]\s*["']?123\b/i;
/** A name with a dot: a zone. */
const ZONE = /(?<![\w.-])(?:[a-z][\w-]{0,62}\.){1,9}[a-z][\w-]{1,62}(?![\w-])/gi;

const PROBE_FIELD = /initialDelaySeconds|failureThreshold/;
/** What a probe asks. */
const CHECK = /^\s*-?\s*(path|port|scheme|command|httpGet|tcpSocket|grpc|exec):/;

/** Flags, access, certificates, probes, verbosity: what is set rather than programmed. */
export function operations(view: DiffView): Mechanism[] {
  const { changed, context, files } = view;
  const found = flags(view);
  const paths = files.join(' ');
  const add = (kind: Mechanism['kind'], literals?: string[]) =>
    found.push({ kind, about: changed.join(' '), ...(literals && { literals }) });
  if (
    /polic(y|ies)|iam|rbac|role|auth|oauth|jwt|token|secret|permission/i.test(paths) ||
    some(changed, /audience|issuer|permission|arn:aws|verbs:|Authorization|jwt/i) ||
    some(changed, CREDENTIAL)
  )
    add('auth-changed', stringsIn(changed));
  if (changed.length > 0 && some([...context, ...changed], NETWORK_POLICY))
    add('network-policy-changed');
  if (some(view.removed, CLOCK_SYNC) && !some(view.added, CLOCK_SYNC)) add('clock-sync-removed');
  if (some(changed, NAME_SERVER))
    add(
      'name-server-changed',
      view.removed.flatMap((line) => line.match(ZONE) ?? []),
    );
  if (
    /tls|cert|ssl/i.test(paths) ||
    some(changed, /MinVersion|cipher|RootCAs|cert(ificate)?_?(file|path)|x509|InsecureSkipVerify/i)
  )
    add('tls-changed');
  const isOf = (probe: RegExp) =>
    some(changed, probe) || (some(context, probe) && some(changed, CHECK));
  if (isOf(/readinessProbe/)) add('readiness-changed');
  else if (isOf(/(liveness|startup)Probe/) || some(changed, PROBE_FIELD)) add('probe-changed');
  if (some(changed, /level:\s*"?(debug|trace)|LOG_LEVEL|logLevel/i)) add('verbosity-raised');
  return found;
}

function flags({ removed, added, files }: DiffView): Mechanism[] {
  const set = (lines: readonly string[]) =>
    lines.flatMap((line) => {
      const [, name, value] = BOOLEAN.exec(line) ?? [];
      return name === undefined ? [] : [{ name, value }];
    });
  const now = set(added);
  return set(removed).flatMap(({ name, value }): Mechanism[] => {
    const flipped = now.some((other) => other.name === name && other.value !== value);
    const kind = /insecure|verify|tls|ssl/i.test(name) ? 'tls-changed' : 'flag-flipped';
    return flipped ? [{ kind, about: [name, ...files].join(' '), literals: [name] }] : [];
  });
}
