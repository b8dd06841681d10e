import type { ChatStep } from '../model/chat-turn.js';
import { duration, shortRunId } from '../ui/format.js';
import { Icon } from '../ui/icon.js';

type CallLineProps = Pick<
  Extract<ChatStep, { kind: 'tool' }>,
  'tool' | 'args' | 'status' | 'durationMs'
>;

const shown = (value: unknown): string => {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^[0-9a-f-]{36}$/.test(value) ? shortRunId(value) : value;
};

/** A tool call in one line: how it went, its arguments and its time. */
export function CallLine({ tool, args, status, durationMs }: CallLineProps) {
  return (
    <>
      {status === 'pending' ? (
        <span className="spinner" role="img" aria-label="under way" />
      ) : (
        <Icon name={status === 'ok' ? 'check' : 'x'} size={12} />
      )}
      <code>{tool}</code>
      <span className="mute ellip">{Object.values(args).map(shown).join(', ')}</span>
      {status !== 'ok' && status !== 'pending' && <b>{status}</b>}
      <span className="grow" />
      {durationMs !== null && <span className="mute">{duration(durationMs)}</span>}
    </>
  );
}
