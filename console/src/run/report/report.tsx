import { causesAt } from '../../model/view/findings-at.js';
import { useRunView } from '../run-context.js';
import { AskOn } from './ask-on.js';
import { Conclusion } from './conclusion.js';
import { OnTheWay } from './on-the-way.js';

/** The conclusion, what happened beside it, and what to ask. */
export function Report() {
  const { model, seq } = useRunView();
  return (
    <div className="report">
      <Conclusion />
      <OnTheWay />
      {model.endedAt(seq) && <AskOn cause={causesAt(model, seq)[0]?.node} />}
    </div>
  );
}
