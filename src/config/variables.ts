import { FORMATS } from '../formats/registry.js';
import type { Config } from './config.js';

/** What a variable may be. `text` is anything that matches the pattern, said in words. */
export type Allowed =
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'text'; pattern: RegExp; words: string };

/** One environment variable: what it is called, becomes, may be, and is when it is unset or empty. */
export interface Variable {
  readonly name: string;
  readonly property: keyof Config;
  /** As it would be written in the environment; empty: there is none. */
  readonly default: string;
  readonly unit: string;
  readonly allowed: Allowed;
  /** One sentence for docs/configuration.md and `.env.example`. */
  readonly about: string;
  /** Its value is never printed. */
  readonly secret?: true;
}

const integer = (min: number, max: number): Allowed => ({ kind: 'integer', min, max });
const choice = (...values: string[]): Allowed => ({ kind: 'choice', values });
const text = (pattern: RegExp, words: string): Allowed => ({ kind: 'text', pattern, words });

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
const KEY = text(/^[^\0]{1,2000}$/, 'a key');
const PORTS = text(/^\d{1,5}(,\d{1,5}){0,20}$/, 'ports with commas between them');
const EGRESS = text(
  /^[^\s,]+(,\s*[^\s,]+){0,200}$/,
  '10.0.0.0/8, [fd00::/8], db.example:5432, *.example and the like, separated by commas',
);
const PATHS = text(/^\/[^,\0]*(,\/[^,\0]*){0,50}$/, 'absolute paths with commas between them');
const PREFIX = text(/^[\w.-]{1,100}$/, '1 to 100 of A-Z a-z 0-9 _ . -');

/** Every variable that the service reads. docs/configuration.md, README's table and `.env.example` are written from this by scripts/config-docs.mjs. */
// A table, a row a line.
// prettier-ignore
export const VARIABLES: readonly Variable[] = [
  { name: 'ROLE', property: 'role', default: 'all', unit: '', allowed: choice('all', 'api', 'worker'), about: 'What this process does: serve HTTP, run agents, or both. `api` and `worker` need REDIS_URL.' },
  { name: 'HOST', property: 'host', default: '127.0.0.1', unit: '', allowed: HOST, about: 'Address to listen on. There is no authentication yet: do not open it to an untrusted network.' },
  { name: 'ALLOWED_HOSTS', property: 'allowedHosts', default: '', unit: '', allowed: HOSTS, about: 'Hosts that requests may name beside `localhost` and the address of the service, for example behind a proxy or a port mapping. Without a port: with any.' },
  { name: 'ALLOWED_ORIGINS', property: 'allowedOrigins', default: '', unit: '', allowed: ORIGINS, about: 'Origins whose pages may use the API (CORS, with credentials). Unset: only pages of the service itself.' },
  { name: 'PORT', property: 'port', default: '3000', unit: '', allowed: integer(0, 65_535), about: 'Port to listen on; 0 takes a free one.' },
  { name: 'REDIS_URL', property: 'redisUrl', default: '', unit: '', allowed: URL_OF_REDIS, secret: true, about: 'The Redis to use. Unset: a private one is started, with its data in DATA_DIR.' },
  { name: 'REDIS_PREFIX', property: 'redisPrefix', default: 'consilium', unit: '', allowed: PREFIX, about: 'Begins every key; services with different prefixes share a Redis without seeing each other.' },
  { name: 'DATA_DIR', property: 'dataDir', default: '.data', unit: '', allowed: FOLDER, about: 'Where the private Redis keeps its data; one process at a time.' },
  { name: 'TOPOLOGIES_DIR', property: 'topologiesDir', default: 'examples/topologies', unit: '', allowed: FOLDER, about: 'Folder of topology files (YAML or JSON) that are loaded at start.' },
  { name: 'INCIDENTS_DIR', property: 'incidentsDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of incident bundles (docs/incidents.md): a POST of `{"incident": NAME}` makes a topology of one.' },
  { name: 'BEHAVIOURS_DIR', property: 'behavioursDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of behaviour trees (`*.tree`) beside the shipped ones; one of the same name stands in for it.' },
  { name: 'SUBSCRIBERS_DIR', property: 'subscribersDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of subscribers (`*.toml`) beside the shipped ones: what agents are told of while they work (docs/notifications.md).' },
  { name: 'RULES_DIR', property: 'rulesDir', default: '', unit: '', allowed: FOLDER, about: 'Folder of rules (`*.toml`) beside the shipped ones: what is done when something holds (docs/notifications.md).' },
  { name: 'MODEL', property: 'model', default: 'runbook', unit: '', allowed: MODEL, about: 'The language model of every agent that names none. `runbook` is built in and needs no key; a name like `openai/gpt-4.1` or `anthropic/claude-sonnet-4-5` needs the key below, and nothing else.' },
  { name: 'OPENAI_API_KEY', property: 'openaiApiKey', default: '', unit: '', allowed: KEY, secret: true, about: 'Key for models of OpenAI, or of the server at OPENAI_BASE_URL (which may need none).' },
  { name: 'OPENAI_BASE_URL', property: 'openaiBaseUrl', default: '', unit: '', allowed: ADDRESS, secret: true, about: 'Another server that speaks the chat completions of OpenAI: `http://127.0.0.1:11434/v1` for Ollama.' },
  { name: 'ANTHROPIC_API_KEY', property: 'anthropicApiKey', default: '', unit: '', allowed: KEY, secret: true, about: 'Key for models of Anthropic.' },
  { name: 'ANTHROPIC_BASE_URL', property: 'anthropicBaseUrl', default: '', unit: '', allowed: ADDRESS, secret: true, about: 'Another server that speaks the messages of Anthropic.' },
  { name: 'MODELS_FILE', property: 'modelsFile', default: '', unit: '', allowed: FOLDER, about: 'YAML file of further models: addresses, keys, prices, limits, fallbacks (docs/models.md).' },
  { name: 'CONSOLE', property: 'console', default: 'on', unit: '', allowed: choice('on', 'off'), about: 'Whether the web console is served at `/console` (docs/console.md). A process with ROLE=worker serves none.' },
  { name: 'STREAM_FORMAT', property: 'streamFormat', default: 'executor', unit: '', allowed: choice(...FORMATS), about: 'Format of the event streams of executions that name none with `?format=` (docs/formats).' },
  { name: 'GLOBAL_SUPERVISOR_CONCURRENCY', property: 'globalSupervisorConcurrency', default: '8', unit: 'jobs', allowed: integer(1, 10_000), about: 'Global supervisors that one process runs at once.' },
  { name: 'TEAM_SUPERVISOR_CONCURRENCY', property: 'teamSupervisorConcurrency', default: '8', unit: 'jobs', allowed: integer(1, 10_000), about: 'Team supervisors that one process runs at once.' },
  { name: 'WORKER_CONCURRENCY', property: 'workerConcurrency', default: '16', unit: 'jobs', allowed: integer(1, 10_000), about: 'Workers (agents that probe) that one process runs at once.' },
  { name: 'PROBE_CONNECTIONS_PER_HOST', property: 'probeConnectionsPerHost', default: '5', unit: 'connections', allowed: integer(1, 1_000), about: 'Connections that tools of all processes have to one host at once. More where many nodes stand behind one gateway.' },
  { name: 'PROBES_PER_SECOND_PER_HOST', property: 'probesPerSecondPerHost', default: '20', unit: 'connections', allowed: integer(1, 10_000), about: 'Connections to one host that tools of all processes open in a second.' },
  { name: 'EGRESS_ALLOW', property: 'egressAllow', default: '', unit: '', allowed: EGRESS, about: 'Where tools may connect: addresses, networks and names, each with `:PORT` or `:FROM-TO` if wanted (docs/security.md). Unset: everywhere but where it is denied.' },
  { name: 'EGRESS_DENY', property: 'egressDeny', default: '', unit: '', allowed: EGRESS, about: 'Where tools may not connect, beside metadata services, link-local and multicast networks and the Redis of this service, which are always denied.' },
  { name: 'PROBE_DNS_PORTS', property: 'probeDnsPorts', default: '53', unit: '', allowed: PORTS, about: 'Ports on which `dns_lookup` may ask a name server.' },
  { name: 'PROBE_PATHS', property: 'probePaths', default: '', unit: '', allowed: PATHS, about: 'Folders whose file system `host_resources` may measure, beside `/` and the mount points of the machine.' },
  { name: 'LOCAL_PROBES', property: 'localProbes', default: 'on', unit: '', allowed: choice('on', 'off'), about: 'Whether `host_resources` and `process_check` may look at the machine of the service.' },
  { name: 'ORACLE_CONCURRENCY', property: 'oracleConcurrency', default: '16', unit: 'jobs', allowed: integer(1, 10_000), about: 'Chat turns that one process works on at once.' },
  { name: 'ORACLE', property: 'oracle', default: 'on', unit: '', allowed: choice('on', 'off'), about: 'Whether the oracle can be asked (docs/conversations.md).' },
  { name: 'CONVERSATION_DAYS', property: 'conversationDays', default: '30', unit: 'days', allowed: integer(1, 3_650), about: 'How long a conversation is kept after its last message.' },
  { name: 'MONTHLY_MESSAGES', property: 'monthlyMessages', default: '0', unit: 'messages', allowed: integer(0, 1_000_000_000), about: 'Answered messages that one caller has in a month (UTC); 0: no limit.' },
  { name: 'LOCK_MS', property: 'lockMs', default: '5000', unit: 'ms', allowed: integer(100, 600_000), about: 'How long a job stays with a process that is no longer heard of.' },
  { name: 'STALL_MS', property: 'stallMs', default: '1000', unit: 'ms', allowed: integer(100, 600_000), about: 'How often lost jobs are looked for.' },
  { name: 'MAX_CRASHES', property: 'maxCrashes', default: '3', unit: 'crashes', allowed: integer(1, 100), about: 'How often an agent may lose its process without getting any further before it counts as failed.' },
  { name: 'SWEEP_SECONDS', property: 'sweepSeconds', default: '5', unit: 's', allowed: integer(1, 3_600), about: 'How often accepted runs that have no job are looked for and started.' },
  { name: 'SHUTDOWN_GRACE_SECONDS', property: 'shutdownGraceSeconds', default: '10', unit: 's', allowed: integer(0, 600), about: 'How long running work may take to end after SIGTERM.' },
  { name: 'HEARTBEAT_SECONDS', property: 'heartbeatSeconds', default: '15', unit: 's', allowed: integer(1, 15), about: 'How often a quiet stream gets a comment line, and is compared with its log.' },
  { name: 'MAX_FOLLOWERS', property: 'maxFollowers', default: '20000', unit: 'clients', allowed: integer(1, 1_000_000), about: 'Streams that one process serves at once.' },
  { name: 'FOLLOWER_BUFFER_BYTES', property: 'followerBufferBytes', default: '262144', unit: 'bytes', allowed: integer(1_024, 1_073_741_824), about: 'What is held for a client that reads slowly; past it, the rest is read from the log when it has caught up.' },
  { name: 'FOLLOWER_STUCK_SECONDS', property: 'followerStuckSeconds', default: '30', unit: 's', allowed: integer(1, 3_600), about: 'After how long a client that reads nothing at all is dropped.' },
  { name: 'EVENT_MAX_BYTES', property: 'eventMaxBytes', default: '262144', unit: 'bytes', allowed: integer(65_536, 16_777_216), about: 'What one event may take; a larger one is cut in its longest fields, and says `truncated: true`.' },
  { name: 'LOG_MAX_EVENTS', property: 'logMaxEvents', default: '50000', unit: 'events', allowed: integer(10, 10_000_000), about: 'What one run may write; one that wants more fails with LOG_LIMIT, and reports what it has found.' },
  { name: 'LOG_MAX_BYTES', property: 'logMaxBytes', default: '67108864', unit: 'bytes', allowed: integer(1_048_576, 4_294_967_296), about: 'The same in bytes. At least four times EVENT_MAX_BYTES.' },
  { name: 'RETENTION_DAYS', property: 'retentionDays', default: '7', unit: 'days', allowed: integer(1, 3_650), about: 'How long the logs of finished runs are kept.' },
  { name: 'RETENTION_RUNS', property: 'retentionRuns', default: '10000', unit: 'runs', allowed: integer(1, 10_000_000), about: 'How many finished runs keep their logs, the latest ones.' },
  { name: 'INDEX_RETENTION_DAYS', property: 'indexRetentionDays', default: '90', unit: 'days', allowed: integer(1, 3_650), about: 'How long runs stay in lists with their status and report. At least RETENTION_DAYS.' },
  { name: 'ARCHIVE_DIR', property: 'archiveDir', default: '', unit: '', allowed: FOLDER, about: 'Folder where logs are archived (compressed NDJSON) before they are dropped, and read from after that; unset: they are dropped. To be shared by all processes.' },
  { name: 'LOG_LEVEL', property: 'logLevel', default: 'info', unit: '', allowed: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), about: 'Least severe log line that is written.' },
];

/** What a variable may be, in words: `an integer from 0 to 65535`. */
export function describeAllowed(allowed: Allowed): string {
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
