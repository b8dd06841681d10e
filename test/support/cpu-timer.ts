/**
 * Starts to measure the CPU time of this process.
 * @returns a function that returns the ms since then. Unlike wall time, they do not grow if other processes keep the machine busy.
 */
export function cpuTimer(): () => number {
  const from = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  };
}
