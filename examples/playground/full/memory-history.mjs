const HOURS = 2;
const STEP_SECONDS = 15;

/**
 * The memory of processes in the two hours before now, in the text format of OpenMetrics. The last
 * value is measured; the values before it are made up, because a demonstration cannot take two
 * hours.
 *
 * @param {Record<string, {bytes: number, limit: number}>} memory of each process now
 * @param {{now: number, leaking?: string, job: string, instance: string}} options `now`: ms;
 *   `leaking`: the process whose memory rose from a third of this all the time
 */
export function memoryHistory(memory, { now, leaking, job, instance }) {
  const used = [];
  const limits = [];
  for (const [name, { bytes, limit }] of Object.entries(memory)) {
    const labels = `{container="${name}",pod="${name}-1",service="${name}",job="${job}",instance="${instance}"}`;
    for (let ago = HOURS * 3600; ago >= STEP_SECONDS; ago -= STEP_SECONDS) {
      const at = Math.floor(now / 1000) - ago;
      const share = ago / (HOURS * 3600);
      // A few per cent up and down.
      const noise = 0.02 * Math.sin(ago);
      const factor = name === leaking ? 1 - (2 / 3) * share : 1 + noise;
      used.push(
        `container_memory_working_set_bytes${labels} ${Math.round(bytes * factor)} ${at}\n`,
      );
      limits.push(`container_spec_memory_limit_bytes${labels} ${limit} ${at}\n`);
    }
  }
  return [
    '# TYPE container_memory_working_set_bytes gauge\n',
    ...used,
    '# TYPE container_spec_memory_limit_bytes gauge\n',
    ...limits,
  ].join('');
}
