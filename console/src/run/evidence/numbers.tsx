import type { ReactNode } from 'react';
import { fieldsOf } from '../../model/read.js';
import { number } from '../../model/number.js';
import { bytes, duration } from '../../ui/format.js';
import { plainTimes } from '../../ui/plain-times.js';

const UNIT = /_(ms|bytes|percent|s)$/;
const words = (key: string): string => key.replace(UNIT, '').replaceAll('_', ' ');

/** All measurements of a result, with the units that their names say. */
export function Numbers({ measurements }: { measurements: Record<string, unknown> }) {
  return (
    <table className="numbers">
      <tbody>
        {Object.entries(measurements).map(([key, value]) => (
          <tr key={key}>
            <th scope="row">{words(key)}</th>
            <td>{valueOf(key, value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function valueOf(key: string, value: unknown): ReactNode {
  if (value === null || value === undefined) return <span className="mute">–</span>;
  if (typeof value === 'number') return numberOf(key, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return plainTimes(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return <span className="mute">none</span>;
    return value.every((item) => typeof item !== 'object') ? (
      value.join(', ')
    ) : (
      <ol className="records">
        {value.map((item, i) => (
          <li key={i}>{valueOf(key, item)}</li>
        ))}
      </ol>
    );
  }
  const fields = Object.entries(fieldsOf(value));
  if (fields.length === 0) return <span className="mute">none</span>;
  return (
    <span className="kvs">
      {fields.map(([name, part]) => (
        <span key={name}>
          <i>{words(name)}</i>{' '}
          {valueOf(UNIT.test(key) && typeof part === 'number' ? key : name, part)}
        </span>
      ))}
    </span>
  );
}

function numberOf(key: string, value: number): string {
  switch (UNIT.exec(key)?.[1]) {
    case 'bytes':
      return bytes(value);
    case 'ms':
      return duration(value);
    case 'percent':
      return `${value} %`;
    case 's':
      return duration(value * 1_000);
    default:
      return number(value);
  }
}
