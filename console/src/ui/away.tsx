import { useEffect, useState } from 'react';
import { ask } from '../api/http.js';
import { Icon } from './icon.js';

const ASK_MS = 2_000;
const LOADED_AGAIN = 'console:loaded again for';

/**
 * Says that a part of the console could not be loaded because the service is away, and loads the
 * page again when it is back: once for the same part, which may be missing for good.
 */
export function Away({ missing }: { missing: string }) {
  const [isFirst] = useState(() => sessionStorage.getItem(LOADED_AGAIN) !== missing);
  useEffect(() => {
    if (!isFirst) return;
    const loadAgain = (): void => {
      sessionStorage.setItem(LOADED_AGAIN, missing);
      location.reload();
    };
    const timer = setInterval(() => {
      ask('GET', '/health/live').then(loadAgain, () => undefined);
    }, ASK_MS);
    return () => clearInterval(timer);
  }, [isFirst, missing]);
  if (isFirst)
    return (
      <div className="banner banner-off" role="status">
        <span className="spinner" />
        <p>
          <b>Not connected.</b> The service does not answer. This is loaded when it is back.
        </p>
      </div>
    );
  return (
    <div className="banner banner-bad" role="alert">
      <Icon name="x" size={14} />
      <p>
        <b>A part of the console cannot be loaded.</b> {missing}
      </p>
      <button className="btn btn-small" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  );
}
