import { number } from '../../model/number.js';
import { fieldsOf } from '../../model/read.js';
import { bytes, duration } from '../../ui/format.js';
import { plainTimes } from '../../ui/plain-times.js';

const UNIT = /_(ms|bytes|percent|s)$/;

/** The key of a measurement as words, without its unit. */
export const words = (key: string): string => key.replace(UNIT, '').replaceAll('_', ' ');

/** The key whose unit a part of a measurement has: that of the whole, if it names one. */
export const keyOfPart = (key: string, name: string, part: unknown): string =>
  UNIT.test(key) && typeof part === 'number' ? key : name;

/** A single value with the unit that its key names; undefined for lists and objects. */
export function scalarText(key: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return numberText(key, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? plainTimes(value) : undefined;
}

function numberText(key: string, value: number): string {
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

/** A value of any form as one line. */
export function measureText(key: string, value: unknown): string {
  const scalar = scalarText(key, value);
  if (scalar !== undefined) return scalar;
  const parts = Array.isArray(value)
    ? value.map((item) => measureText(key, item))
    : Object.entries(fieldsOf(value)).map(
        ([name, part]) => `${words(name)} ${measureText(keyOfPart(key, name, part), part)}`,
      );
  if (parts.length === 0) return 'none';
  return parts.join(Array.isArray(value) && typeof value[0] === 'object' ? '; ' : ', ');
}
