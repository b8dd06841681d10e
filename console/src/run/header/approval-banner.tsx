import { useState } from 'react';
import { argumentsOf } from '../../model/event-words.js';
import type { Approval } from '../../model/types.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { useNow } from '../../ui/use-now.js';
import { decide, type Choice } from './decide.js';

/** A change that the run proposes: what will be done, what may go wrong, and the decision. */
export function ApprovalBanner({ runId, approval }: { runId: string; approval: Approval }) {
  const { asked } = approval;
  const now = useNow(1_000, true);
  const [state, setState] = useState<{ sending: boolean; refused: string }>({
    ...{ sending: false, refused: '' },
  });
  const send = (choice: Choice): void => {
    setState({ sending: true, refused: '' });
    decide(runId, asked, choice).then(
      () => setState({ sending: false, refused: '' }),
      (error: Error) => setState({ sending: false, refused: error.message }),
    );
  };
  const left = Date.parse(asked.expires_at) - now;
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
            {state.refused && <span role="alert"> {state.refused}</span>}
          </p>
        </div>
        {left > 0 && <span className="mute">{duration(left)} left</span>}
        <button className="btn btn-small" disabled={state.sending} onClick={() => send('deny')}>
          Refuse
        </button>
        <button
          className="btn btn-small btn-danger"
          disabled={state.sending}
          onClick={() => send('approve')}
        >
          Approve
        </button>
      </section>
    </div>
  );
}
