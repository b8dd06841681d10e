/** What a Redis reports of itself: fields of INFO, and the settings that it may show. */
export interface StoreFacts {
  info: Readonly<Record<string, string>>;
  settings: Readonly<Record<string, string>>;
}

export interface Judgement {
  /** Reasons not to use this Redis: it would lose acknowledged data, or lacks commands. */
  refused: string[];
  /** Warnings for the operator. */
  warned: string[];
}

/** For `SET … NX GET`, exclusive ranges and sharded messages. */
const LEAST_MAJOR = 7;
const LEAST = '7.0';

/**
 * Decides whether a Redis can be used for runs. Settings that it does not show (as with some
 * managed services) count as correct.
 */
export function judgeStore({ info, settings }: StoreFacts): Judgement {
  const [refused, warned]: [string[], string[]] = [[], []];
  const version = info['redis_version'];
  if (version !== undefined && Number.parseInt(version, 10) < LEAST_MAJOR)
    refused.push(`This is Redis ${version}. Use Redis ${LEAST} or later, or Valkey.`);

  const policy = info['maxmemory_policy'];
  if (policy !== undefined && policy !== 'noeviction') {
    const limited = info['maxmemory'] !== '0';
    const fault = `Redis evicts keys when its memory is full (maxmemory-policy ${policy}); runs and jobs would be lost.`;
    const remedy = 'Set maxmemory-policy noeviction.';
    if (limited) refused.push(`${fault} ${remedy}`);
    else warned.push(`${fault} No memory limit is set (maxmemory 0). ${remedy}`);
  }

  if (info['aof_enabled'] === '0') {
    const kept =
      settings['save'] === ''
        ? 'Redis writes nothing to disk'
        : 'Redis writes only snapshots to disk';
    const lost =
      settings['save'] === ''
        ? 'a restart loses all runs'
        : 'a restart loses all data since the last snapshot';
    warned.push(`${kept} (appendonly no): ${lost}. Set appendonly yes.`);
  } else if (settings['appendfsync'] === 'no')
    warned.push(
      'Redis lets the operating system decide when to write to disk (appendfsync no): a crash may lose 30 s of data. Set appendfsync everysec or always.',
    );
  return { refused, warned };
}
