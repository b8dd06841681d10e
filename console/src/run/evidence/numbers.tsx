import type { ReactNode } from 'react';
import { fieldsOf } from '../../model/read.js';
import { keyOfPart, scalarText, words } from './measure-text.js';

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

const quiet = (text: string): ReactNode => <span className="mute">{text}</span>;

function valueOf(key: string, value: unknown): ReactNode {
  if (value === null || value === undefined) return quiet('–');
  const text = scalarText(key, value);
  if (text !== undefined) return text;
  if (Array.isArray(value)) {
    if (value.length === 0) return quiet('none');
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
  if (fields.length === 0) return quiet('none');
  return (
    <span className="kvs">
      {fields.map(([name, part]) => (
        <span key={name}>
          <i>{words(name)}</i> {valueOf(keyOfPart(key, name, part), part)}
        </span>
      ))}
    </span>
  );
}
