import { ApiError } from '../api/http.js';
import { Icon } from './icon.js';

interface ListErrorProps {
  error: Error | null;
  /** Whether an earlier list is still shown. */
  stale: boolean;
  onRetry: () => void;
}

/** Says that something could not be read; what was read before stays. */
export function ListError({ error, stale, onRetry }: ListErrorProps) {
  if (!error) return null;
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  return (
    <div className="banner banner-off" role="alert">
      <Icon name="x" size={14} />
      <p>
        <b>This cannot be read.</b> {error.message}.{stale && ' What you see is from before.'}
        {seconds !== null && ` The service asks to wait ${seconds} s.`}
      </p>
      <TryAgain onRetry={onRetry} />
    </div>
  );
}

/** Says in a line of other content that something could not be read. */
export function InlineError({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <span className="bad" role="alert">
      {text} <TryAgain onRetry={onRetry} />
    </span>
  );
}

function TryAgain({ onRetry }: { onRetry: () => void }) {
  return (
    <button className="btn btn-small" onClick={onRetry}>
      Try again
    </button>
  );
}
