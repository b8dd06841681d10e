/** What a Redis says of itself: the fields of INFO, and its settings as far as it tells them. */
export interface StoreFacts {
  info: Readonly<Record<string, string>>;
  settings: Readonly<Record<string, string>>;
}

export interface Judgement {
  /** Why this Redis cannot be used: what was acknowledged would be lost sooner or later, or commands are not known. */
  refused: string[];
  /** What the operator must know. */
  warned: string[];
}

/** `SET … NX GET`, exclusive ranges, sharded messages. */
const [LEAST_MAJOR, LEAST] = [7, '7.0'];

/** Whether a Redis can be trusted with runs. What it does not tell (some that are rented do not) is not held against it. */
export function judgeStore({ info, settings }: StoreFacts): Judgement {
  const [refused, warned]: [string[], string[]] = [[], []];
  const version = info['redis_version'];
  if (version !== undefined && Number.parseInt(version, 10) < LEAST_MAJOR)
    refused.push(`This is Redis ${version}; it must be ${LEAST} or later, or any Valkey.`);

  const policy = info['maxmemory_policy'];
  if (policy !== undefined && policy !== 'noeviction') {
    const limited = info['maxmemory'] !== '0';
    const fault = `Redis throws keys away when its memory is full (maxmemory-policy ${policy}); runs and jobs would be lost.`;
    const remedy = 'It must refuse writes instead: maxmemory-policy noeviction.';
    if (limited) refused.push(`${fault} ${remedy}`);
    else warned.push(`${fault} It has no limit yet (maxmemory 0). ${remedy}`);
  }

  if (info['aof_enabled'] === '0') {
    const kept =
      settings['save'] === '' ? 'Redis keeps nothing on disk' : 'Redis keeps snapshots only';
    const lost =
      settings['save'] === ''
        ? 'all runs are lost when it restarts'
        : 'what came after the last one is lost when it restarts';
    warned.push(`${kept} (appendonly no): ${lost}. Set appendonly yes.`);
  } else if (settings['appendfsync'] === 'no')
    warned.push(
      'Redis leaves it to the system when to write to disk (appendfsync no): half a minute may be lost. Set everysec or always.',
    );
  return { refused, warned };
}
