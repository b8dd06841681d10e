/**
 * ms on the machine's monotonic clock, the same in every process: times taken in two processes may
 * be subtracted.
 */
const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export const now = () => performance.now() + offset;
