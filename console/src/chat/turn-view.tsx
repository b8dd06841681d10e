import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ChatStep, ChatTurn } from '../model/chat-turn.js';
import { number } from '../model/number.js';
import { duration, shortNumber, shortRunId } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { SystemCard } from '../ui/system-card.js';
import { useNow } from '../ui/use-now.js';
import { CallLine } from './call-line.js';
import { CitedText } from './cited-text.js';

interface TurnViewProps {
  turn: ChatTurn;
  runId?: string | undefined;
  /** Behind the question. */
  children?: ReactNode;
  /** Behind the answer. */
  foot?: ReactNode;
  onRetry: (question: string) => void;
}

/** A question and its answer, as far as it has come. */
export function TurnView({ turn, runId, children, foot, onRetry }: TurnViewProps) {
  const { question, steps, state, retry } = turn;
  const running = state === 'running' || state === 'sending';
  const calling = steps.some((step) => step.kind === 'tool' && step.status === 'pending');
  return (
    <div className="turn">
      <div className="msg msg-me">
        <p>{question}</p>
        {children}
      </div>
      <div className="msg msg-oracle" aria-busy={running}>
        {steps.map((step) => (
          <Step key={`${step.kind} ${step.seq}`} step={step} runId={runId} />
        ))}
        {retry && <RetryRow retry={retry} />}
        {running && !retry && !calling && (
          <span className="typing" role="img" aria-label="The oracle is at work">
            <i />
            <i />
            <i />
          </span>
        )}
        <Ending turn={turn} onRetry={onRetry} />
        {foot}
      </div>
    </div>
  );
}

function Step({ step, runId }: { step: ChatStep; runId: string | undefined }): ReactNode {
  switch (step.kind) {
    case 'reasoning':
      return (
        <details className="think">
          <summary>
            <Icon name="spark" size={13} />
            Thought <span className="mute">{shortNumber(step.text.length)} characters</span>
          </summary>
          <p>{step.text}</p>
        </details>
      );
    case 'text':
      if (step.text.trim() === '') return null;
      return (
        <div className="said">
          <CitedText text={step.text} runId={runId} />
        </div>
      );
    case 'system':
      return <SystemCard name={step.name} data={step.data} />;
    case 'tool':
      return <ToolStep step={step} />;
  }
}

function ToolStep({ step }: { step: Extract<ChatStep, { kind: 'tool' }> }) {
  return (
    <details className={`tcall tc-${step.status === 'ok' ? 'completed' : step.status}`}>
      <summary>
        <CallLine {...step} />
      </summary>
      {step.sources.length > 0 && (
        <p className="cites">
          {step.sources.map(({ path, snippet }) => (
            <SourceChip key={path} path={path} snippet={snippet} />
          ))}
        </p>
      )}
      <pre tabIndex={0}>{step.result}</pre>
    </details>
  );
}

/** `runs/ID/events/N` or `runs/ID#N` */
const RUN_SOURCE = /^runs\/([0-9a-f-]{36})(?:(?:\/events\/|#)(\d+))?/;

function SourceChip({ path, snippet }: { path: string; snippet: string }) {
  const [, runId, seq] = RUN_SOURCE.exec(path) ?? [];
  if (runId === undefined)
    return (
      <span className="cite" title={snippet}>
        {path}
      </span>
    );
  return (
    <Link
      to="/runs/$runId"
      params={{ runId }}
      {...(seq !== undefined && { hash: seq })}
      className="cite"
      title={snippet}
    >
      {seq === undefined ? shortRunId(runId) : `#${seq}`}
    </Link>
  );
}

function RetryRow({ retry }: { retry: NonNullable<ChatTurn['retry']> }) {
  const now = useNow(200);
  const left = Math.max(0, retry.since + retry.waitMs - now);
  return (
    <div className="sys sys-retry" role="status">
      <Icon name="replay" size={15} />
      <div>
        <p>
          {retry.message} <span className="mute">{duration(left)} left</span>
        </p>
        <span className="sys-bar">
          <i style={{ width: `${Math.min(100, (left / Math.max(1, retry.waitMs)) * 100)}%` }} />
        </span>
      </div>
    </div>
  );
}

function Ending({ turn, onRetry }: { turn: ChatTurn; onRetry: (question: string) => void }) {
  const { state, error, quota, question } = turn;
  if (state === 'cancelled')
    return (
      <p className="mute stopped">
        <Icon name="stop" size={12} /> Stopped. The answer so far is kept.
      </p>
    );
  if (state === 'lost')
    return (
      <div className="banner banner-off" role="status">
        <span className="spinner" />
        <p>
          The connection was lost. The oracle continues; the answer follows when the connection is
          back.
        </p>
      </div>
    );
  if (!error) return null;
  return (
    <div className={`banner ${error.retryable ? 'banner-warn' : 'banner-bad'}`} role="alert">
      <Icon name={error.retryable ? 'replay' : 'x'} size={15} />
      <div>
        <p>{error.message}</p>
        <p className="mute">
          <code>{error.code}</code>
          {quota && ` ${number(quota.used)} of ${number(quota.limit)} messages of this month`}
        </p>
      </div>
      {error.retryable && (
        <button className="btn" onClick={() => onRetry(question)}>
          Send again
        </button>
      )}
    </div>
  );
}
