/** Injection token of {@link AlertsFile}. */
export const ALERTS_FILE = Symbol('ALERTS_FILE');
