/** Words of lines that look like faults; lower case, for `journalctl --grep` too. */
export const TELLING =
  'error|exception|fatal|panic|warn|fail|timed? ?out|refused|denied|unavailable|critical|killed';

export const isFaultText = (body: string): boolean => new RegExp(TELLING, 'i').test(body);
