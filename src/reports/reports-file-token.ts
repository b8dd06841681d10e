/** Injection token of {@link ReportsFile}. */
export const REPORTS_FILE = Symbol('REPORTS_FILE');
