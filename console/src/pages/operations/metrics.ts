/** Values without labels of the text format of Prometheus, by name. */
export function parseMetrics(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+) (\S+)/.exec(line) ?? [];
    if (name !== undefined) values.set(name, Number(value));
  }
  return values;
}

/** One look at the process that answers. */
export interface Sample {
  /** Part of one core. */
  cpu: number;
  memoryBytes: number;
  lagMs: number;
}

/**
 * @param before the look before this one: processor time is counted since the start of the process
 */
export function sampleOf(
  values: ReadonlyMap<string, number>,
  at: number,
  before: { at: number; cpuSeconds: number } | null,
): { sample: Sample; cpuSeconds: number } {
  const cpuSeconds = values.get('process_cpu_seconds_total') ?? 0;
  const elapsed = before ? (at - before.at) / 1_000 : 0;
  return {
    cpuSeconds,
    sample: {
      cpu: before && elapsed > 0 ? (cpuSeconds - before.cpuSeconds) / elapsed : 0,
      memoryBytes: values.get('process_resident_memory_bytes') ?? 0,
      lagMs: (values.get('nodejs_eventloop_lag_p99_seconds') ?? 0) * 1_000,
    },
  };
}
