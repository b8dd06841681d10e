import { percent } from '../../ui/format.js';

const SIZE = 66;
const RADIUS = SIZE / 2 - 5;
const ROUND = 2 * Math.PI * RADIUS;

/** How sure the service is, 0..1. */
export function Ring({ value }: { value: number }) {
  const middle = SIZE / 2;
  return (
    <svg
      width={SIZE}
      height={SIZE}
      viewBox={`0 0 ${SIZE} ${SIZE}`}
      className="ring"
      role="img"
      aria-label={`Confidence ${percent(value)}`}
    >
      <circle cx={middle} cy={middle} r={RADIUS} className="ring-rail" />
      <circle
        cx={middle}
        cy={middle}
        r={RADIUS}
        className="ring-fill"
        strokeDasharray={`${ROUND * value} ${ROUND}`}
        transform={`rotate(-90 ${middle} ${middle})`}
      />
      <text x="50%" y="50%" dy=".36em" textAnchor="middle">
        {Math.round(value * 100)}
        <tspan className="ring-pct">%</tspan>
      </text>
    </svg>
  );
}
