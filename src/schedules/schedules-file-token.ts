/** Injection token of {@link SchedulesFile}. */
export const SCHEDULES_FILE = Symbol('SCHEDULES_FILE');
