import { ApiError } from '../api/http.js';
import { clock } from './format.js';
import { Icon } from './icon.js';

interface ListErrorProps {
  query: { error: Error | null; dataUpdatedAt: number; refetch: () => Promise<unknown> };
  /** Why the list cannot be read, where that is known from elsewhere. */
  error?: Error | null;
}

/** Says that something could not be read, and of when that is which was read before. */
export function ListError({ query, error = query.error }: ListErrorProps) {
  if (!error) return null;
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  const { dataUpdatedAt } = query;
  return (
    <div className="banner banner-off" role="alert">
      <Icon name="x" size={14} />
      <p>
        <b>This cannot be read.</b> {error.message}.
        {dataUpdatedAt > 0 && ` What you see is of ${clock(dataUpdatedAt)}.`}
        {seconds !== null && ` The service asks to wait ${seconds} s.`}
      </p>
      <TryAgain onRetry={() => void query.refetch()} />
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
