import { useState } from 'react';
import { useRefusal } from '../../api/session.js';
import { argumentsOf } from '../../model/event-words.js';
import type { Approval } from '../../model/types.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { useNow } from '../../ui/use-now.js';
import { decide, type Choice } from './decide.js';

interface ApprovalBannerProps {
  runId: string;
  approval: Approval;
  /** How many others wait for a decision. */
  more: number;
}

/** A change that the run proposes: what will be done, what may go wrong, and the decision. */
export function ApprovalBanner({ runId, approval, more }: ApprovalBannerProps) {
  const { asked } = approval;
  const now = useNow(1_000, true);
  const [state, setState] = useState<{ sending: boolean; refused: string }>({
    sending: false,
    refused: '',
  });
  const send = (choice: Choice): void => {
    setState({ sending: true, refused: '' });
    decide(runId, asked, choice).then(
      () => setState({ sending: false, refused: '' }),
      (error: Error) => setState({ sending: false, refused: error.message }),
    );
  };
  const left = Date.parse(asked.expires_at) - now;
  const refusal = useRefusal('approvals:decide');
  const closed = state.sending || left <= 0 || refusal !== undefined;
  return (
    <div className="over">
      <section className="banner banner-warn" aria-label="Approval needed">
        <Icon name="warn" size={14} />
        <div>
          <p role="alert">
            <b>{asked.message}</b> {asked.risk}
          </p>
          <p className="mute">
            <code>
              {asked.tool}({argumentsOf(asked.args)})
            </code>
            {refusal && <> {refusal}</>}
            {state.refused && <span role="alert"> {state.refused}</span>}
          </p>
        </div>
        <span className="mute">
          {left > 0 ? `${duration(left)} left` : 'The time to decide is over'}
          {more > 0 && `; ${more} more to decide`}
        </span>
        <button className="btn btn-small" disabled={closed} onClick={() => send('deny')}>
          Refuse
        </button>
        <button
          className="btn btn-small btn-danger"
          disabled={closed}
          onClick={() => send('approve')}
        >
          Approve
        </button>
      </section>
    </div>
  );
}
