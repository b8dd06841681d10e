/** The figures of `/metrics` that the page shows. */
export interface Metrics {
  /** By queue, then by state of its jobs. */
  jobs: Map<string, Map<string, number>>;
  /** Values without labels, by name. */
  values: Map<string, number>;
}

const LINE = /^(\w+)(?:\{([^}]*)\})? (\S+)/;
const label = (labels: string, name: string): string =>
  new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';

/** Reads the text format of Prometheus, as far as it is needed. */
export function parseMetrics(text: string): Metrics {
  const jobs: Metrics['jobs'] = new Map();
  const values: Metrics['values'] = new Map();
  for (const line of text.split('\n')) {
    const [, name = '', labels, value] = LINE.exec(line) ?? [];
    if (labels === undefined) {
      if (name) values.set(name, Number(value));
    } else if (name === 'consilium_jobs') {
      const queue = label(labels, 'queue');
      const states = jobs.get(queue) ?? new Map<string, number>();
      states.set(label(labels, 'state'), Number(value));
      jobs.set(queue, states);
    }
  }
  return { jobs, values };
}

/** One look at the process that answers. */
export interface Sample {
  openRuns: number;
  active: number;
  /** Part of one core. */
  cpu: number;
  memoryBytes: number;
  lagMs: number;
}

/** @param before the look before this one: processor time is counted since the start of the process */
export function sampleOf(
  { jobs, values }: Metrics,
  at: number,
  before: { at: number; cpuSeconds: number } | null,
): { sample: Sample; cpuSeconds: number } {
  const cpuSeconds = values.get('process_cpu_seconds_total') ?? 0;
  const elapsed = before ? (at - before.at) / 1_000 : 0;
  let active = 0;
  for (const states of jobs.values()) active += states.get('active') ?? 0;
  return {
    cpuSeconds,
    sample: {
      openRuns: values.get('consilium_open_runs') ?? 0,
      active,
      cpu: before && elapsed > 0 ? (cpuSeconds - before.cpuSeconds) / elapsed : 0,
      memoryBytes: values.get('process_resident_memory_bytes') ?? 0,
      lagMs: (values.get('nodejs_eventloop_lag_p99_seconds') ?? 0) * 1_000,
    },
  };
}
