/**
 * Version of the log format. The first version wrote no number. `docs/reliability.md` and
 * `CHANGELOG.md` state it.
 */
export const LOG_VERSION = '1';
