import { isOnly, some, stringsIn, type DiffView } from '../read-diff.js';
import type { Mechanism } from './mechanism.js';

/** `cache: true`, `"strict": false`, `proxy_cache off;`. */
const BOOLEAN =
  /(?<![\w.-])([\w.-]+)["']?(?:\s*[:=]+\s*["']?(true|false|on|off|yes|no|enabled?|disabled?)\b|\s+(on|off);)/i;
const ON = /^(true|on|yes|enabled?)$/i;

/**
 * The effect of a switch that is turned on, or off, by its name; the first row that matches counts.
 */
// A table: one line for each row.
// prettier-ignore
const SWITCHES: readonly [RegExp, on: Mechanism['kind'], off: Mechanism['kind']][] = [
  [/insecure|verify|tls|ssl/i, 'tls-changed', 'tls-changed'],
  [/keep.?alive|reuse|pooling/i, 'flag-flipped', 'connection-reuse-removed'],
  [/cach|memoi/i, 'flag-flipped', 'cache-removed'],
  [/ignore.?unknown|lenient|allow.?unknown|coerce/i, 'flag-flipped', 'leniency-removed'],
  [/strict|validat|fail.?on.?unknown|required/i, 'validation-tightened', 'flag-flipped'],
  [/debug|verbose|trace|show.?sql|log.?(queries|statement|sql|requests|bod)|general_log|slow_query_log/i, 'verbosity-raised', 'flag-flipped'],
  [/batch|bulk|eager|prefetch/i, 'flag-flipped', 'batching-removed'],
  [/fallback|breaker/i, 'flag-flipped', 'fallback-removed'],
  [/jitter|back.?off/i, 'flag-flipped', 'backoff-removed'],
  [/rate.?limit|throttl/i, 'limit-lowered', 'concurrency-raised'],
  [/auth|rbac|csrf|mfa/i, 'auth-changed', 'auth-changed'],
];
/** A setting with a credential, whatever its value. */
const CREDENTIAL =
  /\b\w*(passw(or)?d|passphrase|secret|api_?key|access_?key|token|credentials?)\w*["']?\s*[:=]/i;

/**
 * Access between systems: policies of Kubernetes, Cilium and Istio, security groups, packet
 * filters.
 */
const NETWORK_POLICY =
  /kind: ?\w*(NetworkPolicy|AuthorizationPolicy)\b|\b(pod|namespace)Selector\b|\bipBlock\b|aws_security_group|\bcidr_blocks\b|\biptables -/;

/** Which name server resolves which names: of CoreDNS, BIND, unbound, dnsmasq, and of clients. */
const NAME_SERVER =
  /^forward \. |^[\w.-]{1,200}:53 ?\{|^nameserver [\da-f.:]|\b(stubDomains|upstreamNameservers|dnsPolicy|forwarders)\b|\b(stub|forward)-(zone|addr)\b|^zone "|^server=\/|^search [\w.-]+\./i;
/** Settings of the clock of a machine: NTP (port 123, RFC 5905) and PTP. */
const CLOCK_SYNC = /\b(ntpd?|chronyd?|timesyncd|ptp4l)\b|port["']?\s*[:=]\s*["']?123\b/i;
/** A name with a dot: a zone. */
const ZONE = /(?<![\w.-])(?:[a-z][\w-]{0,62}\.){1,9}[a-z][\w-]{1,62}(?![\w-])/gi;

/**
 * Buffers on disk of Fluent Bit, Vector, rsyslog and OpenTelemetry; writes that wait for the disk,
 * of Redis, PostgreSQL, MySQL and Kafka.
 */
const ON_DISK =
  /\b(?:(?:buffer|queue|storage)?[._]?(?:type|backend|mode))["']?\s*[:=]?\s*["']?(?:disk|file(?:system)?|persistent)\b|\bfile_storage\b|\bappendfsync\s+always\b|\bappendonly\s+yes\b|\b(?:fsync|synchronous_commit)["']?\s*[:=]\s*["']?(?:on|true|always)\b|\bsync_binlog\s*=\s*1\b|\bflush_log_at_trx_commit\s*=\s*1\b|\bflush\.messages\s*=\s*1\b/i;

/** The maximum size of a packet: of interfaces, tunnels and overlay networks. */
const PACKET_SIZE = /\bmtu\b|\bmss\b|jumbo/i;

/** Files about permissions; a folder may be named after its service. */
const ACCESS_PATH =
  /(^|[/_.-])(iam|rbac|roles?|oauth2?|jwt|tokens?|secrets?|permissions?|authori[sz]ation)[\w-]*(\.\w+)?$|(^|[/_.-])(iam|auth|access|authori[sz]ation|bucket|assume)[_-]?polic(y|ies)/im;
/** Levels at which programs log most, and at which databases log each statement. */
const VERBOSE =
  /\b(level|logger|logging|loggers?[\w.]*|log)\b[\w.]*["']?\s*[:=,]\s*["']?(debug|trace|all|fine(st|r)?|verbose)\b|LOG_LEVEL|logLevel|setLevel\(\W{0,3}\w*\.?(debug|trace|all)|log_statement\W{1,6}all|log_min_duration_statement\W{1,6}0\b|--v=[4-9]/i;

/**
 * The program that a container or a unit runs: of Kubernetes, Compose, Docker, systemd and
 * Procfiles.
 */
const COMMAND =
  /^\s*-?\s*(?:command|args|entrypoint)["']?\s*:|^\s*(?:ENTRYPOINT|CMD)\s|^\s*ExecStart\s*=|^\s*(?:web|worker|release):\s/;

const PROBE_FIELD = /initialDelaySeconds|failureThreshold/;
/** The request of a probe. */
const CHECK = /^\s*-?\s*(path|port|scheme|command|httpGet|tcpSocket|grpc|exec):/;

/** Flags, access, certificates, probes, verbosity: settings rather than code. */
export function operations(view: DiffView): Mechanism[] {
  const { changed, context, files } = view;
  const found = flags(view);
  const paths = files.join('\n');
  const add = (kind: Mechanism['kind'], literals?: string[]) =>
    found.push({ kind, about: changed.join(' '), ...(literals && { literals }) });
  if (
    !isOnly(view, 'deps') &&
    (ACCESS_PATH.test(paths) ||
      some(changed, /audience|issuer|permission|arn:aws|verbs:|Authorization|jwt/i) ||
      some(changed, CREDENTIAL))
  )
    add('auth-changed', stringsIn(changed));
  if (changed.length > 0 && some([...context, ...changed], NETWORK_POLICY))
    add('network-policy-changed');
  if (some(view.added, ON_DISK) && !some(view.removed, ON_DISK)) add('disk-use-raised');
  if (some(changed, PACKET_SIZE)) add('packet-size-changed');
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
  const commands = [view.removed, view.added].map((lines) =>
    lines.filter((line) => COMMAND.test(line)),
  );
  if (commands.every((lines) => lines.length > 0) && !some(context, /Probe:/))
    add('command-changed', stringsIn(commands.flat()));
  if (some(view.added, VERBOSE)) add('verbosity-raised');
  return found;
}

function flags({ removed, added, files }: DiffView): Mechanism[] {
  const set = (lines: readonly string[]) =>
    lines.flatMap((line) => {
      const [, name, value, bare] = BOOLEAN.exec(line) ?? [];
      return name === undefined ? [] : [{ name, isOn: ON.test(value ?? bare ?? '') }];
    });
  const now = set(added);
  return set(removed).flatMap(({ name, isOn }): Mechanism[] => {
    if (!now.some((other) => other.name === name && other.isOn !== isOn)) return [];
    const [, on, off] = SWITCHES.find(([pattern]) => pattern.test(name)) ?? [];
    const kind = (isOn ? off : on) ?? 'flag-flipped';
    return [{ kind, about: [name, ...files].join(' '), literals: [name] }];
  });
}
