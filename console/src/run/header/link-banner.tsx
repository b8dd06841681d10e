import { isLost, type LinkState } from '../../api/follow-run.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { useNow } from '../../ui/use-now.js';

/** Says that the page does not follow the run, why, and when that is tried again. */
export function LinkBanner({ link, live }: { link: LinkState; live: boolean }) {
  const now = useNow(250, isLost(link));
  if (isLost(link)) {
    const wait = link.retryAt - now;
    return (
      <div className="over">
        <div className="banner banner-off">
          <span className="spinner" />
          <p role="status">
            <b>{link.state === 'offline' ? 'Offline.' : 'Not connected.'}</b> {link.reason}. What
            you see stands{live && '; the run goes on'}.
          </p>
          <span className="mute">
            Attempt {link.attempt}
            {wait > 0 && `, in ${duration(wait)}`}
          </span>
        </div>
      </div>
    );
  }
  return (
    <div className="over">
      <div className="banner banner-warn" role="alert">
        <Icon name="warn" size={14} />
        <p>
          <b>The rest of this log is gone</b> (410). The events that were read are below.
        </p>
        <button className="btn btn-small" onClick={() => location.reload()}>
          Read from the beginning
        </button>
      </div>
    </div>
  );
}
