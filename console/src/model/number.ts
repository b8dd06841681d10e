// Made once: a formatter costs more than what it formats.
const FORMAT = new Intl.NumberFormat('en');
/** A small part of 1 would be rounded to 0. */
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/** `9,999`, `12.345`, `0.0005` */
export const number = (value: number): string =>
  (Math.abs(value) < 1 ? SMALL : FORMAT).format(value);

/** `1 node`, `18 nodes` */
export const count = (value: number, noun: string): string =>
  `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
