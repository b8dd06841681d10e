/** When this process started, in seconds since 1970: computed once, as client libraries do. */
const STARTED = Date.now() / 1000 - process.uptime();
const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests, errors and latency of one service in the text format of Prometheus. */
export class Metrics {
  #codes = new Map();
  #buckets = SECONDS.map(() => 0);
  #count = 0;
  #errors = 0;
  #seconds = 0;

  constructor(service) {
    this.service = service;
  }

  record(status, seconds) {
    this.#codes.set(status, (this.#codes.get(status) ?? 0) + 1);
    if (status >= 500) this.#errors += 1;
    this.#count += 1;
    this.#seconds += seconds;
    SECONDS.forEach((limit, index) => seconds <= limit && (this.#buckets[index] += 1));
  }

  /** The text format, version 0.0.4. */
  text() {
    const of = `service="${this.service}"`;
    return [
      '# HELP http_requests_total Requests answered, by status code.',
      '# TYPE http_requests_total counter',
      ...[...this.#codes].map(
        ([code, count]) => `http_requests_total{${of},code="${code}"} ${count}`,
      ),
      '# HELP http_errors_total Requests answered with 500 or more.',
      '# TYPE http_errors_total counter',
      `http_errors_total{${of}} ${this.#errors}`,
      '# HELP http_request_duration_seconds How long an answer took.',
      '# TYPE http_request_duration_seconds histogram',
      ...SECONDS.map(
        (limit, index) =>
          `http_request_duration_seconds_bucket{${of},le="${limit}"} ${this.#buckets[index]}`,
      ),
      `http_request_duration_seconds_bucket{${of},le="+Inf"} ${this.#count}`,
      `http_request_duration_seconds_sum{${of}} ${this.#seconds}`,
      `http_request_duration_seconds_count{${of}} ${this.#count}`,
      '# HELP process_start_time_seconds When this process started, in seconds since 1970.',
      '# TYPE process_start_time_seconds gauge',
      `process_start_time_seconds{${of}} ${STARTED.toFixed(3)}`,
      '# HELP process_resident_memory_bytes Memory of this process.',
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes{${of}} ${process.memoryUsage.rss()}`,
      '',
    ].join('\n');
  }
}
