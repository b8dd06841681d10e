import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets in seconds, for durations from a millisecond to some seconds. */
const SHORT = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Buckets in seconds, for durations from a moment to an hour. */
const LONG = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];

/**
 * The counters of this process, and gauges that a scrape sets. Labels are bounded: names of tools,
 * models, routes, queues and codes, never a run, a tenant or a node.
 */
@Injectable()
export class Instruments {
  readonly registry = new Registry();

  readonly requests = this.counter('http_requests_total', 'HTTP requests', [
    'method',
    'route',
    'status',
  ]);
  readonly requestSeconds = this.histogram(
    'http_request_duration_seconds',
    'Duration of HTTP requests other than streams',
    ['method', 'route'],
    SHORT,
  );
  readonly firstEventSeconds = this.histogram(
    'run_first_event_seconds',
    'From a request that starts a run to its first event on the wire',
    ['route'],
    SHORT,
  );
  readonly authFailures = this.counter(
    'auth_failures_total',
    'Requests without a valid credential, or whose role may not do it',
    ['how', 'status'],
  );
  readonly rateLimited = this.counter(
    'rate_limited_total',
    'Requests that were refused by a limit',
    ['limit'],
  );
  readonly runsStarted = this.counter('runs_started_total', 'Runs that were accepted', ['kind']);
  readonly runsRestarted = this.counter(
    'runs_restarted_total',
    'Runs without a job that the sweeper has started again',
    [],
  );
  readonly runsTrimmed = this.counter(
    'runs_trimmed_total',
    'Finished runs whose events retention has removed',
    [],
  );
  readonly agentResumes = this.counter(
    'agent_resumes_total',
    'Agents that were resumed because their process was lost',
    ['role'],
  );
  readonly agentCrashes = this.counter(
    'agent_crashes_total',
    'Agents that failed because they lost process after process',
    [],
  );
  readonly runsEnded = this.counter('runs_ended_total', 'Runs that have ended', [
    'kind',
    'status',
    'verdict',
    'code',
  ]);
  readonly runSeconds = this.histogram(
    'run_duration_seconds',
    'From the acceptance of a run to its end',
    ['kind'],
    LONG,
  );
  readonly runWaitSeconds = this.histogram(
    'run_wait_seconds',
    'From the acceptance of a run to its first agent',
    ['kind'],
    SHORT,
  );
  readonly jobWaitSeconds = this.histogram(
    'job_wait_seconds',
    'From the dispatch of an agent to its start',
    ['queue'],
    SHORT,
  );
  readonly appendSeconds = this.histogram(
    'log_append_duration_seconds',
    'Duration of appends to logs',
    [],
    SHORT,
  );
  readonly logBytes = this.counter('log_bytes_total', 'Bytes of events appended to logs', []);
  readonly feedLagSeconds = this.histogram(
    'feed_lag_seconds',
    'From the append of an event to its arrival at a process with followers, measured at most ten times a second',
    [],
    SHORT,
  );
  readonly approvals = this.counter(
    'approvals_total',
    'Changes that agents asked for, and how their approvals ended',
    ['outcome'],
  );
  readonly modelRequests = this.counter('model_requests_total', 'Calls of language models', [
    'model',
    'outcome',
  ]);
  readonly modelSeconds = this.histogram(
    'model_duration_seconds',
    'Duration of calls of language models',
    ['model'],
    LONG,
  );
  readonly modelFirstTokenSeconds = this.histogram(
    'model_first_token_seconds',
    'From a call of a language model to the first part of its answer',
    ['model'],
    SHORT,
  );
  readonly modelWaitSeconds = this.histogram(
    'model_wait_seconds',
    'Wait before calls of language models: for room, a pause of the provider, or a back-off',
    ['model'],
    LONG,
  );
  readonly modelTokens = this.counter('model_tokens_total', 'Tokens of language models', [
    'model',
    'direction',
  ]);
  readonly modelCost = this.counter(
    'model_cost_total',
    'Cost of language models, in the currency of their prices',
    ['model'],
  );
  readonly modelErrors = this.counter(
    'model_errors_total',
    'Failed attempts of calls of language models',
    ['code'],
  );
  readonly modelBreakerOpen = this.gauge(
    'model_breaker_open',
    'Whether the circuit breaker of a model is open: 1, half open: 0.5, or closed: 0',
    ['model'],
  );
  readonly toolCalls = this.counter('tool_calls_total', 'Calls of tools', ['tool', 'status']);
  readonly toolSeconds = this.histogram(
    'tool_duration_seconds',
    'Duration of calls of tools',
    ['tool'],
    LONG,
  );
  readonly egressDenied = this.counter(
    'egress_denied_total',
    'Probes that were refused because tools may not connect to their target',
    [],
  );
  readonly alerts = this.counter('alerts_total', 'Alerts that were received', [
    'source',
    'outcome',
  ]);
  readonly reports = this.counter('reports_total', 'Attempts to send a report', [
    'kind',
    'outcome',
  ]);

  readonly traces = this.counter('traces_total', 'Traces of runs for the collector', ['outcome']);

  readonly redactions = this.counter(
    'redactions_total',
    'Texts in which a detector has replaced a secret',
    ['detector'],
  );
  readonly quotaUsed = this.gauge(
    'quota_used_ratio',
    'The highest share of a limit that any tenant had used when it started a run, since the last scrape of this process',
    ['limit'],
  );
  readonly quotaLimit = this.gauge(
    'quota_limit',
    'A limit of each tenant as configured; left out where there is none',
    ['limit'],
  );
  readonly redisSeconds = this.histogram(
    'redis_command_seconds',
    'From sending a command to Redis to its reply, for at most ten commands a second',
    [],
    SHORT,
  );

  readonly followers = this.gauge('followers', 'Open event streams of this process');
  readonly followersDropped = this.counter(
    'followers_dropped_total',
    'Clients that were disconnected because they read nothing',
    [],
  );
  readonly buildInfo = this.gauge('build_info', 'The version of this process; always 1', [
    'version',
  ]);
  readonly followedRuns = this.gauge('followed_runs', 'Runs that these streams follow');
  readonly openRuns = this.gauge('open_runs', 'Accepted runs that have not ended');
  readonly jobs = this.gauge('jobs', 'Jobs by queue and state', ['queue', 'state']);
  readonly oldestWaiting = this.gauge(
    'oldest_waiting_seconds',
    'Age of the oldest job that waits for a slot',
    ['queue'],
  );
  readonly redisUp = this.gauge('redis_up', 'Whether Redis answers this process');
  readonly redisMemory = this.gauge(
    'redis_memory_bytes',
    'Memory of Redis: used, and allowed (0: no limit)',
    ['of'],
  );
  readonly redisCertificateExpiry = this.gauge(
    'redis_certificate_expiry_timestamp_seconds',
    'When the certificate of Redis expires, as this process was shown it; left out without TLS',
  );
  readonly backupAt = this.gauge(
    'backup_timestamp_seconds',
    'When the last backup was made, as its script has recorded; left out where none has',
  );

  private gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({
      name: `consilium_${name}`,
      help,
      labelNames,
      registers: [this.registry],
    });
  }

  private counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({
      name: `consilium_${name}`,
      help,
      labelNames,
      registers: [this.registry],
    });
  }

  private histogram(
    name: string,
    help: string,
    labelNames: string[],
    buckets: number[],
  ): Histogram {
    return new Histogram({
      name: `consilium_${name}`,
      help,
      labelNames,
      buckets,
      registers: [this.registry],
    });
  }
}
