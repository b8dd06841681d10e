import { shortNumber } from './format.js';

const NEAR = 0.7;
const FULL = 0.9;

/** How much of a model's window is used; warnings come at 70 %. */
export function ContextBar({ used, most }: { used: number; most: number }) {
  const part = Math.min(1, used / most);
  const level = part >= FULL ? ' is-full' : part >= NEAR ? ' is-near' : '';
  return (
    <div
      className={`ctx${level}`}
      role="meter"
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={Math.min(used, most)}
      aria-label="Window of the model"
    >
      <span>
        <i style={{ width: `${part * 100}%` }} />
        <u style={{ left: `${NEAR * 100}%` }} />
      </span>
      <em>
        {shortNumber(used)} of {shortNumber(most)} of the window
      </em>
    </div>
  );
}
