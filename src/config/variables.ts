import { FORMATS } from '../formats/registry.js';
import type { Config } from './config.js';

/** Allowed values. `text` matches the pattern, which `words` describes. */
export type ValueRule =
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'text'; pattern: RegExp; words: string };

/** An environment variable, its field of `Config` and its allowed values. */
export interface Variable {
  readonly name: string;
  /**
   * Undefined: it is read by its name ({@link Config.secretOf}), as those of model providers are.
   */
  readonly property?: keyof Config;
  /** Default, as written in the environment; empty: none. */
  readonly default: string;
  readonly unit: string;
  readonly allowed: ValueRule;
  /** Description in docs/configuration.md and `.env.example`. */
  readonly about: string;
  /** Its value is never printed. */
  readonly secret?: true;
}

const integer = (min: number, max: number): ValueRule => ({ kind: 'integer', min, max });
const choice = (...values: string[]): ValueRule => ({ kind: 'choice', values });
const text = (pattern: RegExp, words: string): ValueRule => ({ kind: 'text', pattern, words });

const FOLDER = text(/^[^\0]+$/, 'a path');
const HOST = text(/^[\w.:%-]+$/, 'an IP address or a host name');
const HOSTS = text(
  /^[^\s,/@]+(,\s*[^\s,/@]+)*$/,
  'names or addresses, with or without a port, separated by commas',
);
const ORIGINS = text(
  /^https?:\/\/[^\s,/@*]+(,\s*https?:\/\/[^\s,/@*]+)*$/,
  'origins as https://pages.example, exactly, separated by commas',
);
const URL_OF_REDIS = text(
  /^rediss?(\+cluster|\+sentinel)?:\/\/[^\s/]\S*$/,
  'redis://… or rediss://…; redis+cluster://HOST:PORT,HOST:PORT… or redis+sentinel://HOST:PORT,HOST:PORT…/MASTER, both also as rediss+…',
);
const MODEL = text(
  /^\S{1,200}$/,
  'a name in MODELS_FILE, openai/MODEL-ID, anthropic/MODEL-ID, or runbook',
);
const ADDRESS = text(/^\S{1,2000}$/, 'http://… or https://…');
const HTTP_URL = text(/^https?:\/\/[^\s\/]\S{0,2000}$/, 'http://… or https://…');
/**
 * Addresses whose responses no attacker on the network can change: TLS, or this machine.
 */
export const SAFE_URL =
  /^(https:\/\/[^\s\/]\S{0,2000}|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(\/\S{0,2000})?)$/i;
const SAFE = text(SAFE_URL, 'https://…, or http://… of this machine');
const KEY = text(/^[^\0]{1,2000}$/, 'a key');
const PORTS = text(/^\d{1,5}(,\d{1,5}){0,20}$/, 'ports with commas between them');
const EGRESS = text(
  /^[^\s,]+(,\s*[^\s,]+){0,200}$/,
  '10.0.0.0/8, [fd00::/8], db.example:5432, *.example and the like, separated by commas',
);
const SECRETS = text(
  /^(env:[A-Z_][A-Z0-9_]*|file:\/[^\s,]+)(\s*,\s*(env:[A-Z_][A-Z0-9_]*|file:\/[^\s,]+))*$/,
  'env:NAME or file:/PATH, separated by commas',
);
const AUTH = text(
  /^(none|(keys|jwt|proxy)(\s*,\s*(keys|jwt|proxy)){0,2})$/,
  'none, or any of keys, jwt, proxy, separated by commas',
);
const NAME = text(/^[\w.:\/-]{1,200}$/, '1 to 200 of A-Z a-z 0-9 _ . : / -');
const GROUPS = text(/^[^\0]{1,4000}$/, 'GROUP=ROLE, separated by commas');
const PATHS = text(/^\/[^,\0]*(,\/[^,\0]*){0,50}$/, 'absolute paths with commas between them');
const PREFIX = text(/^[\w.-]{1,100}$/, '1 to 100 of A-Z a-z 0-9 _ . -');

/**
 * Every variable that the service reads. scripts/config-docs.mjs writes docs/configuration.md, the
 * table of the README and `.env.example` from it.
 */
// A table: one line for each row.
// prettier-ignore
export const VARIABLES: readonly Variable[] = [
  { name: 'ROLE', property: 'role', default: 'all', unit: '', allowed: choice('all', 'api', 'worker'), about: 'What this process does: serve HTTP, run agents, or both. `api` and `worker` need REDIS_URL.' },
  { name: 'HOST', property: 'host', default: '127.0.0.1', unit: '', allowed: HOST, about: 'Address to listen on. One that other machines reach needs AUTH.' },
  { name: 'AUTH', property: 'auth', default: 'none', unit: '', allowed: AUTH, about: 'How callers are authenticated (docs/security.md): `none` (loopback only), or any of `keys`, `jwt`, `proxy`.' },
  { name: 'ALLOW_ANONYMOUS', property: 'allowAnonymous', default: 'off', unit: '', allowed: choice('on', 'off'), about: '`on` lets AUTH=none listen on an address that other machines reach. Everybody who reaches it may do everything.' },
  { name: 'AUTH_BOOTSTRAP_KEY_FILE', property: 'authBootstrapKeyFile', default: '', unit: '', allowed: FOLDER, about: 'File with an API key (`consilium keys make`) that is stored at start with the role admin.' },
  { name: 'OIDC_ISSUER', property: 'oidcIssuer', default: '', unit: '', allowed: SAFE, about: 'Issuer of the tokens of AUTH=jwt, exactly as its discovery document names it.' },
  { name: 'OIDC_AUDIENCE', property: 'oidcAudience', default: '', unit: '', allowed: NAME, about: 'Audience that a token must name.' },
  { name: 'OIDC_TENANT_CLAIM', property: 'oidcTenantClaim', default: '', unit: '', allowed: NAME, about: 'Claim with the tenant of a token. Unset: every token belongs to the tenant `default`.' },
  { name: 'OIDC_GROUPS_CLAIM', property: 'oidcGroupsClaim', default: 'groups', unit: '', allowed: NAME, about: 'Claim with the groups of a token, a list of texts.' },
  { name: 'GROUP_ROLES', property: 'groupRoles', default: '', unit: '', allowed: GROUPS, about: 'Roles of groups: `sre=operator, platform=admin`. Tokens and proxy users without such a group are refused.' },
  { name: 'TRUSTED_PROXIES', property: 'trustedProxies', default: '', unit: '', allowed: EGRESS, about: 'Addresses and networks whose identity headers AUTH=proxy trusts.' },
  { name: 'PROXY_PRINCIPAL_HEADER', property: 'proxyPrincipalHeader', default: 'X-Forwarded-User', unit: '', allowed: NAME, about: 'Header in which a trusted proxy names the principal.' },
  { name: 'PROXY_GROUPS_HEADER', property: 'proxyGroupsHeader', default: 'X-Forwarded-Groups', unit: '', allowed: NAME, about: 'Header in which a trusted proxy lists groups, separated by commas.' },
  { name: 'REQUESTS_PER_MINUTE', property: 'requestsPerMinute', default: '600', unit: 'requests', allowed: integer(0, 1_000_000), about: 'Requests of one principal, over all processes; 0: no limit. This and the limits below do not hold with AUTH=none (docs/security.md).' },
  { name: 'TRIGGERS_PER_MINUTE', property: 'triggersPerMinute', default: '30', unit: 'runs', allowed: integer(0, 1_000_000), about: 'Diagnoses that one principal may start; 0: no limit.' },
  { name: 'CHATS_PER_MINUTE', property: 'chatsPerMinute', default: '20', unit: 'messages', allowed: integer(0, 1_000_000), about: 'Messages of one principal to the oracle; 0: no limit.' },
  { name: 'ALERTS_PER_MINUTE', property: 'alertsPerMinute', default: '600', unit: 'deliveries', allowed: integer(0, 1_000_000), about: 'Deliveries of alerts of one sender; 0: no limit. They do not count as triggers: they start at most one run of a topology at a time.' },
  { name: 'FAILED_LOGINS_PER_MINUTE', property: 'failedLoginsPerMinute', default: '10', unit: 'attempts', allowed: integer(0, 1_000_000), about: 'Invalid credentials from one address, after which further ones are refused with 429; valid credentials of the address are accepted; 0: no limit.' },
  { name: 'MAX_STREAMS', property: 'maxStreams', default: '200', unit: 'streams', allowed: integer(0, 1_000_000), about: 'Open streams of one principal; 0: no limit.' },
  { name: 'MAX_OPEN_RUNS', property: 'maxOpenRuns', default: '50', unit: 'runs', allowed: integer(0, 1_000_000), about: 'Runs of one tenant that have not ended; 0: no limit.' },
  { name: 'MAX_TOPOLOGIES', property: 'maxTopologies', default: '500', unit: 'topologies', allowed: integer(0, 1_000_000), about: 'Topologies that one tenant may store; files of TOPOLOGIES_DIR are not refused. 0: no limit.' },
  { name: 'MAX_CONVERSATIONS', property: 'maxConversations', default: '1000', unit: 'conversations', allowed: integer(0, 1_000_000), about: 'Conversations that one principal may have at once; 0: no limit.' },
  { name: 'TOKENS_PER_DAY', property: 'tokensPerDay', default: '0', unit: 'tokens', allowed: integer(0, 1_000_000_000_000), about: 'Tokens of one tenant and day (UTC), after which it starts no more runs; 0: no limit.' },
  { name: 'COST_PER_DAY', property: 'costPerDay', default: '0', unit: '', allowed: integer(0, 1_000_000_000), about: 'The same for the cost, in the currency of the prices of MODELS_FILE.' },
  { name: 'ALLOWED_HOSTS', property: 'allowedHosts', default: '', unit: '', allowed: HOSTS, about: 'Hosts that requests may name in addition to `localhost` and the address of the service, for example behind a proxy. A host without a port allows any port.' },
  { name: 'ALLOWED_ORIGINS', property: 'allowedOrigins', default: '', unit: '', allowed: ORIGINS, about: 'Origins whose pages may use the API (CORS, with credentials). Unset: only pages of the service.' },
  { name: 'PORT', property: 'port', default: '3000', unit: '', allowed: integer(0, 65_535), about: 'Port to listen on; 0 selects a free port.' },
  { name: 'REDIS_URL', property: 'redisUrl', default: '', unit: '', allowed: URL_OF_REDIS, secret: true, about: 'URL of the Redis. Unset: the service starts a private Redis with its data in DATA_DIR.' },
  { name: 'REDIS_PREFIX', property: 'redisPrefix', default: 'consilium', unit: '', allowed: PREFIX, about: 'Prefix of every key. Services with different prefixes can share a Redis.' },
  { name: 'DATA_DIR', property: 'dataDir', default: '.data', unit: '', allowed: FOLDER, about: 'Data folder of the private Redis. One process at a time can use it.' },
  { name: 'TOPOLOGIES_DIR', property: 'topologiesDir', default: 'examples/topologies', unit: '', allowed: FOLDER, about: 'Folder of topology files (YAML or JSON) that are loaded at start.' },
  { name: 'INCIDENTS_DIR', property: 'incidentsDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of incident bundles (docs/incidents.md). A POST of `{"incident": NAME}` creates a topology from one.' },
  { name: 'SOURCES_FILE', property: 'sourcesFile', default: '', unit: '', allowed: FOLDER, about: 'YAML file of telemetry servers that topologies may name: addresses, and references to credentials (docs/sources.md).' },
  { name: 'TOOLS_DIR', property: 'toolsDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of own tools, one `NAME.yaml` each, and of the programs that they run (docs/own-tools.md).' },
  { name: 'ALERTS_FILE', property: 'alertsFile', default: '', unit: '', allowed: FOLDER, about: 'YAML file with the routes of alerts to topologies, and references to the secrets of their senders (docs/alerts.md).' },
  { name: 'REPORTS_FILE', property: 'reportsFile', default: '', unit: '', allowed: FOLDER, about: 'YAML file of the chats and webhooks that get the reports of diagnoses (docs/reports.md). Every process needs the same one.' },
  { name: 'SCHEDULES_FILE', property: 'schedulesFile', default: '', unit: '', allowed: FOLDER, about: 'YAML file of the times at which topologies are diagnosed (docs/schedules.md). API processes read it.' },
  { name: 'BEHAVIOURS_DIR', property: 'behavioursDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of behaviour trees (`*.tree`) in addition to the shipped ones. A tree with the name of a shipped one replaces it.' },
  { name: 'SUBSCRIBERS_DIR', property: 'subscribersDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of subscribers (`*.toml`) in addition to the shipped ones: which events become notices for agents (docs/notifications.md).' },
  { name: 'RULES_DIR', property: 'rulesDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of rules (`*.toml`) in addition to the shipped ones: conditions on the state of an agent and their actions (docs/notifications.md).' },
  { name: 'PROMPTS_DIR', property: 'promptsDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of texts (`*.md`, `*.yaml`) that replace the shipped ones: prompts, descriptions of tools, next steps (docs/prompts.md).' },
  { name: 'MODEL', property: 'model', default: 'runbook', unit: '', allowed: MODEL, about: 'Language model of agents that name none. `runbook` is built in and needs no key; a name such as `openai/gpt-4.1` or `anthropic/claude-sonnet-4-5` needs only the key below.' },
  { name: 'OPENAI_API_KEY', default: '', unit: '', allowed: KEY, secret: true, about: 'Key for models of OpenAI, or of the server at OPENAI_BASE_URL (which may need none).' },
  { name: 'OPENAI_BASE_URL', default: '', unit: '', allowed: ADDRESS, secret: true, about: 'Another server with the chat completions API of OpenAI: `http://127.0.0.1:11434/v1` for Ollama.' },
  { name: 'ANTHROPIC_API_KEY', default: '', unit: '', allowed: KEY, secret: true, about: 'Key for models of Anthropic.' },
  { name: 'ANTHROPIC_BASE_URL', default: '', unit: '', allowed: ADDRESS, secret: true, about: 'Another server with the messages API of Anthropic.' },
  { name: 'MODELS_FILE', property: 'modelsFile', default: '', unit: '', allowed: FOLDER, about: 'YAML file of more models: addresses, keys, prices, limits, fallbacks (docs/models.md).' },
  { name: 'CONSOLE', property: 'console', default: 'on', unit: '', allowed: choice('on', 'off'), about: 'Whether the web console is served at `/console` (docs/console.md). A process with ROLE=worker never serves it.' },
  { name: 'STREAM_FORMAT', property: 'streamFormat', default: 'executor', unit: '', allowed: choice(...FORMATS), about: 'Default format of the event streams of executions; `?format=` selects another one (docs/formats).' },
  { name: 'GLOBAL_SUPERVISOR_CONCURRENCY', property: 'globalSupervisorConcurrency', default: '8', unit: 'jobs', allowed: integer(1, 10_000), about: 'Global supervisors that one process runs at once.' },
  { name: 'TEAM_SUPERVISOR_CONCURRENCY', property: 'teamSupervisorConcurrency', default: '8', unit: 'jobs', allowed: integer(1, 10_000), about: 'Team supervisors that one process runs at once.' },
  { name: 'WORKER_CONCURRENCY', property: 'workerConcurrency', default: '16', unit: 'jobs', allowed: integer(1, 10_000), about: 'Workers (agents that probe) that one process runs at once.' },
  { name: 'PROBE_CONNECTIONS_PER_HOST', property: 'probeConnectionsPerHost', default: '5', unit: 'connections', allowed: integer(1, 1_000), about: 'Concurrent connections of all tools, over all processes, to one host. Increase it if many nodes share a gateway.' },
  { name: 'PROBES_PER_SECOND_PER_HOST', property: 'probesPerSecondPerHost', default: '20', unit: 'connections', allowed: integer(1, 10_000), about: 'Connections per second that all tools, over all processes, open to one host.' },
  { name: 'EGRESS_ALLOW', property: 'egressAllow', default: '', unit: '', allowed: EGRESS, about: 'Targets that tools may connect to: addresses, networks and names, optionally with `:PORT` or `:FROM-TO` (docs/security.md). Unset: every target that is not denied; of topologies of tenants other than `default`, public addresses.' },
  { name: 'EGRESS_DENY', property: 'egressDeny', default: '', unit: '', allowed: EGRESS, about: 'Targets that tools may not connect to, in addition to metadata services, link-local and multicast networks and the Redis of this service, which are always denied.' },
  { name: 'SECRETS_DIR', property: 'secretsDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of credentials that topologies refer to: `${secret:NAME}` is the file TENANT/NAME. Workers read it when a tool runs (docs/security.md).' },
  { name: 'SECRETS_ALLOW', property: 'secretsAllow', default: '', unit: '', allowed: SECRETS, about: 'Other credentials that topologies of the default tenant may refer to: `env:NAME` for `${env:NAME}`, `file:/PATH` for `${file:/PATH}`, separated by commas.' },
  { name: 'SECRETS_KEYS_FILE', property: 'secretsKeysFile', default: '', unit: '', allowed: FOLDER, about: 'File with keys that encrypt the secrets of stored topologies: `ID:KEY` lines, the key 32 bytes in base64. The first one encrypts, all of them decrypt. API and workers need the same. Without it, a service with authentication takes no topology with a credential in it.' },
  { name: 'APPROVAL_SECONDS', property: 'approvalSeconds', default: '600', unit: 's', allowed: integer(1, 3_600), about: 'How long a change that an agent proposes waits for the approval of a person; at most until the run ends.' },
  { name: 'FOUR_EYES', property: 'fourEyes', default: 'off', unit: '', allowed: choice('on', 'off'), about: 'Whether a change must be approved by another principal than the one that started the run. Needs AUTH other than none.' },
  { name: 'PROBE_DNS_PORTS', property: 'probeDnsPorts', default: '53', unit: '', allowed: PORTS, about: 'Ports of name servers that `dns_lookup` may query.' },
  { name: 'PROBE_PATHS', property: 'probePaths', default: '', unit: '', allowed: PATHS, about: 'Folders whose file system `host_resources` may measure, in addition to `/` and the mount points of the machine.' },
  { name: 'LOCAL_PROBES', property: 'localProbes', default: 'on', unit: '', allowed: choice('on', 'off'), about: 'Whether `host_resources` and `process_check` may look at the machine of the service, for topologies of the tenant `default`.' },
  { name: 'ORACLE_CONCURRENCY', property: 'oracleConcurrency', default: '16', unit: 'jobs', allowed: integer(1, 10_000), about: 'Chat turns that one process works on at once.' },
  { name: 'ORACLE', property: 'oracle', default: 'on', unit: '', allowed: choice('on', 'off'), about: 'Whether the oracle answers questions (docs/conversations.md).' },
  { name: 'CONVERSATION_DAYS', property: 'conversationDays', default: '30', unit: 'days', allowed: integer(1, 3_650), about: 'How long a conversation is kept after its last message.' },
  { name: 'MONTHLY_MESSAGES', property: 'monthlyMessages', default: '0', unit: 'messages', allowed: integer(0, 1_000_000_000), about: 'Answered messages per caller and month (UTC); 0: no limit.' },
  { name: 'LOCK_MS', property: 'lockMs', default: '5000', unit: 'ms', allowed: integer(100, 600_000), about: 'Time after which a job of a lost process is given to another one.' },
  { name: 'STALL_MS', property: 'stallMs', default: '1000', unit: 'ms', allowed: integer(100, 600_000), about: 'Interval of the search for lost jobs.' },
  { name: 'MAX_RETRY_AFTER_SECONDS', property: 'maxRetryAfterSeconds', default: '300', unit: 's', allowed: integer(1, 86_400), about: 'Longest pause that a model provider can request (Retry-After). Then one request tests whether it takes calls again.' },
  { name: 'MAX_CRASHES', property: 'maxCrashes', default: '3', unit: 'crashes', allowed: integer(1, 100), about: 'Number of processes that an agent may lose without progress before it counts as failed.' },
  { name: 'SWEEP_SECONDS', property: 'sweepSeconds', default: '5', unit: 's', allowed: integer(1, 3_600), about: 'Interval of the sweep that repairs open runs, for example by adding a missing job.' },
  { name: 'SHUTDOWN_GRACE_SECONDS', property: 'shutdownGraceSeconds', default: '10', unit: 's', allowed: integer(0, 600), about: 'How long running work may take to end after SIGTERM.' },
  { name: 'HEARTBEAT_SECONDS', property: 'heartbeatSeconds', default: '15', unit: 's', allowed: integer(1, 15), about: 'Interval of the comment lines of a silent stream and of its comparison with the log.' },
  { name: 'MAX_FOLLOWERS', property: 'maxFollowers', default: '20000', unit: 'clients', allowed: integer(1, 1_000_000), about: 'Streams that one process serves at once.' },
  { name: 'FOLLOWER_BUFFER_BYTES', property: 'followerBufferBytes', default: '262144', unit: 'bytes', allowed: integer(1_024, 1_073_741_824), about: 'Bytes buffered for a slow client. The rest is read from the log later.' },
  { name: 'FOLLOWER_STUCK_SECONDS', property: 'followerStuckSeconds', default: '30', unit: 's', allowed: integer(1, 3_600), about: 'Time after which a client that reads nothing is disconnected.' },
  { name: 'EVENT_MAX_BYTES', property: 'eventMaxBytes', default: '262144', unit: 'bytes', allowed: integer(65_536, 16_777_216), about: 'Maximum size of one event. The longest fields of a larger event are cut, and it has `truncated: true`.' },
  { name: 'LOG_MAX_EVENTS', property: 'logMaxEvents', default: '50000', unit: 'events', allowed: integer(10, 10_000_000), about: 'Maximum number of events of a run. Its agents end their work at four fifths of it (LOG_LIMIT); a run that needs more fails with a report of its findings.' },
  { name: 'LOG_MAX_BYTES', property: 'logMaxBytes', default: '67108864', unit: 'bytes', allowed: integer(1_048_576, 4_294_967_296), about: 'Maximum size of the log of a run. At least four times EVENT_MAX_BYTES.' },
  { name: 'RETENTION_DAYS', property: 'retentionDays', default: '7', unit: 'days', allowed: integer(1, 3_650), about: 'Time for which the logs of finished runs are kept.' },
  { name: 'RETENTION_RUNS', property: 'retentionRuns', default: '10000', unit: 'runs', allowed: integer(1, 10_000_000), about: 'Number of finished runs whose logs are kept, latest first.' },
  { name: 'INDEX_RETENTION_DAYS', property: 'indexRetentionDays', default: '90', unit: 'days', allowed: integer(1, 3_650), about: 'Time for which runs stay in lists with their status and report. At least RETENTION_DAYS.' },
  { name: 'ARCHIVE_DIR', property: 'archiveDir', default: '', unit: '', allowed: FOLDER, about: 'Folder where logs are archived (compressed NDJSON) before they are deleted, and from which they are read later. Unset: they are deleted. All processes must share it.' },
  { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', property: 'otelExporterOtlpEndpoint', default: '', unit: '', allowed: HTTP_URL, about: 'Base URL of an OpenTelemetry collector (OTLP/HTTP). Unset: no traces (docs/traces.md).' },
  { name: 'OTEL_EXPORTER_OTLP_HEADERS', default: '', unit: '', allowed: KEY, secret: true, about: 'Headers of requests to the collector: `name=value`, separated by commas, percent-encoded.' },
  { name: 'OTEL_SERVICE_NAME', property: 'otelServiceName', default: 'consilium', unit: '', allowed: NAME, about: 'Name of the service in traces.' },
  { name: 'LOG_LEVEL', property: 'logLevel', default: 'info', unit: '', allowed: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), about: 'Lowest severity that is logged.' },
];

/** What a variable may be, in words: `an integer from 0 to 65535`. */
export function describeAllowed(allowed: ValueRule): string {
  switch (allowed.kind) {
    case 'integer':
      return `an integer from ${allowed.min} to ${allowed.max}`;
    case 'choice':
      return allowed.values.length === 1
        ? `only ${allowed.values[0]}`
        : `one of ${allowed.values.join(', ')}`;
    case 'text':
      return allowed.words;
  }
}
