import type { FailureKind } from '../diagnosis/failure-kind.js';

/** The failure that a line of `kubectl`, of a log or of a status answer states. */
export interface OutputRule {
  pattern: RegExp;
  /** A consequence of any of the causes: if one of them is present, it carries no information. */
  consequence?: true;
  /**
   * How specific it is: a cause is more specific than a consequence, a reason that Kubernetes names
   * more than a word.
   */
  weight: number;
  kind?: FailureKind;
}

/**
 * Reasons and messages of Kubernetes (kubelet, scheduler, controllers; as their source spells
 * them), and of container runtimes.
 */
// A table: one line for each row.
// prettier-ignore
const KUBERNETES_RULES: readonly OutputRule[] = [
  { kind: 'out-of-memory', weight: 9, pattern: /OOMKilled|Exit Code:\s+137|out of memory|Memory cgroup/i },
  { kind: 'image-pull', weight: 9, pattern: /ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|failed to pull|pull access denied|manifest unknown/i },
  { kind: 'volume', weight: 9.5, pattern: /storageclass\S* ".*" not found|unbound immediate PersistentVolumeClaim|ProvisioningFailed|FailedMount|FailedAttachVolume|VolumeResizeFailed|persistentvolumeclaim ".*" not found|Multi-Attach error/i },
  { kind: 'config', weight: 9, pattern: /CreateContainerConfigError|(secret|configmap) ".*" not found|couldn't find key/i },
  { kind: 'capacity', weight: 9, pattern: /too many pods|no room for another pod|exceeded quota/i },
  // An admission controller refuses the object, not the user.
  { kind: 'config', weight: 9, pattern: /is forbidden: (failed quota|violates PodSecurity|\[?(maximum|minimum) |unable to validate against any)/i },
  // The API server refuses an object, and with it Helm, Argo CD or kubectl.
  { kind: 'config', weight: 9, pattern: /field is immutable|\bis invalid: .{0,200}(Invalid value|Required value|Unsupported value|Duplicate value|Forbidden)|unknown field "|error (validating|converting) (data|YAML)|ComparisonError|no matches for kind|YAML parse error|UPGRADE FAILED|INSTALLATION FAILED|execution error at \(|nil pointer evaluating/ },
  { kind: 'wrong-address', weight: 9, pattern: /(endpoints|services?) "[^"]{1,253}" not found/i },
  { kind: 'unschedulable', weight: 8, pattern: /FailedScheduling|Insufficient (cpu|memory|nvidia|ephemeral)|didn't match Pod's node (affinity|selector)|untolerated taint|nodes are available/i },
  { kind: 'disk-full', weight: 9, pattern: /\bEvicted\b|DiskPressure\s+True|low on resource: ephemeral-storage/ },
  { kind: 'bad-command', weight: 9, pattern: /StartError|RunContainerError|ContainerCannotRun|executable file not found|command not found|exec format error/i },
  { kind: 'auth', weight: 9, pattern: /serviceaccount ".*" not found|looking up service account|is forbidden:(?! (exceeded quota|failed quota|violates PodSecurity|\[?(maximum|minimum) |unable to validate against any))|cannot (get|list|watch|create) resource/i },
  { kind: 'network-policy', weight: 9.5, pattern: /NetworkPolicy\/\S*(deny|egress|ingress|isolat|block|restrict)\S*|NetworkPolicy\/\S+ isolates|denied by (network )?policy/i },
  { kind: 'infrastructure', weight: 8, pattern: /NodeNotReady|node\(s\) had .*unreachable|KubeletNotReady|NodeStatusUnknown/i },
];

/** Causes that programs name, in a container or not. */
// prettier-ignore
export const PROGRAM_RULES: readonly OutputRule[] = [
  { kind: 'disk-full', weight: 9, pattern: /no space left|disk (is )?full|\bENOSPC\b/i },
  { kind: 'volume', weight: 8, pattern: /read-only file ?system|\bEROFS\b|\bMISCONF\b/i },
  { kind: 'certificate-expired', weight: 8, pattern: /certificate (has |is )?expired|x509: certificate(?! (signed by|is valid for))|certificate.{0,40}(expired|not yet valid)/i },
  { kind: 'connection-pool-exhausted', weight: 9, pattern: /too many (connections|clients)|remaining connection slots|pool (exhausted|timed out)|max(imum)? (number of )?(clients|connections) (is |was )?(reached|exceeded)/i },
  { kind: 'connection-pool-exhausted', weight: 6.5, pattern: /free connections|connection pool/i },
  { kind: 'queue-partition', weight: 9, pattern: /partitions?_detected"?: ?true|network partition|(?<!disk )partition_details|inconsistent_database|split.?brain/i },
  // One record stops a consumer, which reads it repeatedly.
  { kind: 'bad-data', weight: 9, pattern: /seek past the record|RecordDeserializationException|poison (pill|message|record)/i },
  { kind: 'unreachable', weight: 8.5, pattern: /All host\(s\) tried|connection refused|ECONNREFUSED|no route to host|EHOSTUNREACH|ENETUNREACH|network (is )?unreachable|MongoNetworkError|failed to connect|could not connect/i },
  { kind: 'timeout', weight: 9, pattern: /ETIMEDOUT|connection timeout|timed? ?out (waiting|after|connecting|while)|deadline exceeded|i\/o timeout|read timed out|connection timed out/i },
  { kind: 'dns', weight: 7.5, pattern: /(could|does|did) not resolve|cannot (be resolved|resolve)|could not translate host name|no such host|NXDOMAIN|SERVFAIL|ENOTFOUND|EAI_AGAIN|bad address|getaddrinfo|UnknownHost|NameResolutionError|name resolution/i },
  { kind: 'config', weight: 9, pattern: /env(ironment)? var(iable)?s?\b.{0,60}\b(undefined|not set|unset|missing|required|empty)|missing (required )?(env|config|setting)|invalid configuration/i },
  { kind: 'slow-query', weight: 7, pattern: /slow query|full scan|seq scan|(database|query|sql|\bdb\b)\D{0,40}(took|completed in|in|duration[=:]?) ?(\d{2,}(\.\d+)?|[1-9]\.\d+) ?s(ec|econds)?\b|(database|query|sql|\bdb\b)\D{0,40}[1-9]\d{3,} ?ms/i },
  { kind: 'auth', weight: 7, pattern: /unauthori[sz]ed|permission denied|access denied|(?:status|code|https?|http\/[\d.]{1,3}|return(?:s|ed)?|respon(?:se|ds|ded)|answer(?:s|ed)?|got|error|with)\W{1,4}(?:code\W{1,3}|status\W{1,3})?40[13]\b|\b40[13] (?:forbidden|unauthorized|client error)|authentication (failed|required)|invalid credentials/i },
  { kind: 'rate-limited', weight: 7, pattern: /(?:status|code|https?|http\/[\d.]{1,3}|return(?:s|ed)?|respon(?:se|ds|ded)|answer(?:s|ed)?|got|error|with)\W{1,4}(?:code\W{1,3}|status\W{1,3})?429\b|too many requests|rate.?limit(ed\b| (was |is )?(exceeded|reached|hit))|exceeded .{0,40}rate limit|(request|daily|api|exceeded your .{0,40})\s?quota|(?<!disk )quota (was |is )?exceeded|OVER_QUERY_LIMIT|RESOURCE_EXHAUSTED/i },
  { kind: 'rate-limited', weight: 6.5, pattern: /rate limit/i },
  { kind: 'cpu-throttled', weight: 6, pattern: /cpu ?throttl|nr_throttled|throttled_periods/i },
  { kind: 'queue-lag', weight: 5, pattern: /consumer lag|\blag\b.{0,20}\d{3,}|backlog/i },
  { kind: 'wrong-result', weight: 6, pattern: /unique constraint|duplicate key|checksum mismatch/i },
  { kind: 'cache', weight: 3, pattern: /\bevicted_keys\b/ },
  { kind: 'lock', weight: 7, pattern: /deadlock detected|lock wait timeout/i },
  // A signal ended a unit of systemd.
  { kind: 'crash', weight: 9, pattern: /Failed with result '(core-dump|signal)'|\(Result: (core-dump|signal)\)|code=(dumped|killed), (status|signal)=(\d+\/)?(SEGV|ABRT|BUS|ILL|FPE)/ },
  { kind: 'crash', weight: 5, pattern: /\bpanic:|segfault|SIGSEGV|UnhandledPromise|Unhandled exception\. /i },
  { kind: 'exception', weight: 5, pattern: /Traceback|NullPointerException|unhandled exception(?!\. )/i },
];

/** Consequences of any of the causes, with little weight. */
// prettier-ignore
const CONSEQUENCES: readonly OutputRule[] = [
  { kind: 'crash-loop', weight: 4, consequence: true, pattern: /CrashLoopBackOff|Back-off restarting|Liveness probe failed|Readiness probe failed|BackoffLimitExceeded/i },
  { weight: 2, pattern: /\berror\b|\bERR\b|failed|failure|cannot|unable|denied|missing|expired|exhausted|exceed|mismatch|invalid|unexpected|"running": false/i },
];

/** The failures that the output of a command shows, the causes first. */
export const OUTPUT_RULES: readonly OutputRule[] = [
  ...KUBERNETES_RULES,
  ...PROGRAM_RULES,
  ...CONSEQUENCES,
];

/** Lines of healthy output that contain words of failures. */
export const DULL =
  /^\s*(Name|Namespace|Labels|Annotations|Status|IP|Node|Controlled By|Priority|Volumes|Type|Optional|SizeLimit|Medium|QoS Class|Tolerations):|errors?[":= ]+(0|none|null|\[\])|"\w+": null|no errors|without errors|Service Account:|node\.kubernetes\.io\/|serviceaccount from|KubeletHas(No|Suff)|\b0 \(0%\)|\bStatus: [23]\d\d\b|\[INFO\]|^\s*#|No events found|Total logs found|Command `kubectl|Error from server \((NotFound|BadRequest)\)|_(alarm|limit)": false|Could not find changes|terminationMessagePath|#success=\d+ #failure=\d+/i;
