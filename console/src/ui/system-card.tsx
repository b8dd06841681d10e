import { fieldsOf, numberOf, textOf } from '../model/read.js';
import { number } from '../model/number.js';
import { duration } from './format.js';
import { Icon } from './icon.js';

const LOOK = {
  error: 'x',
  retry: 'replay',
  limit: 'warn',
  loop: 'replay',
  resumed: 'play',
  note: 'info',
} as const;
export type SystemKind = keyof typeof LOOK;

function systemKind(name: string, code: string): SystemKind {
  if (name === 'system.error') return 'error';
  if (/^(RATE_LIMITED|OVERLOADED|AI_ERROR)$/.test(code)) return 'retry';
  if (/LIMIT|THRESHOLD/.test(code)) return 'limit';
  if (/LOOP|NO_PROGRESS/.test(code)) return 'loop';
  return code.includes('RESUMED') ? 'resumed' : 'note';
}

interface SystemCardProps {
  name: string;
  data: unknown;
  /** Number of equal messages. */
  times?: number;
}

/** A message of the service itself, coloured by its kind, with its code and its figures. */
export function SystemCard({ name, data, times = 1 }: SystemCardProps) {
  const fields = fieldsOf(data);
  const code = textOf(fields['code']);
  const kind = systemKind(name, code);
  const now = numberOf(fields['current_value']);
  const most = numberOf(fields['limit_value']);
  const retry = numberOf(fields['retry_in_ms']);
  const detail = textOf(fields['pattern']) || textOf(fields['repeated_action']);
  return (
    <div className={`sys sys-${kind}`} role="note">
      <Icon name={LOOK[kind]} size={15} />
      <div>
        <p>{textOf(fields['message'])}</p>
        <p className="sys-meta">
          <code>{code}</code>
          {times > 1 && <span>{times} times</span>}
          {now !== undefined && most !== undefined && (
            <span>
              {textOf(fields['limit_type'])}: {number(now)} / {number(most)}
            </span>
          )}
          {retry !== undefined && (
            <span>
              attempt {textOf(fields['attempt'])}, again in {duration(retry)}
            </span>
          )}
          {detail && <span>{detail}</span>}
        </p>
        {now !== undefined && most !== undefined && most > 0 && (
          <span className="sys-bar">
            <i style={{ width: `${Math.min(100, (now / most) * 100)}%` }} />
          </span>
        )}
      </div>
    </div>
  );
}
