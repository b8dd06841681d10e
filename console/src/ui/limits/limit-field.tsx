import type { LimitField } from './limits.js';

interface LimitRowProps {
  limit: LimitField;
  value: string;
  placeholder: string;
  help: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}

/** A limit with its bounds, unit and fault. */
export function LimitRow({ limit, value, placeholder, help, fault, onChange }: LimitRowProps) {
  const id = `limit-${limit.name}`;
  return (
    <div className="limit">
      <label htmlFor={id}>
        {limit.label}
        {help && <small className="mute">{help}</small>}
      </label>
      <input
        id={id}
        type="number"
        min={limit.min}
        max={limit.max}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
      />
      <span className="mute">{limit.unit}</span>
      {fault !== undefined && (
        <span className="fault" role="alert" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  );
}
