// Made once: a formatter costs more than what it formats.
const FORMAT = new Intl.NumberFormat('en');

/** `9,999` */
export const number = (value: number): string => FORMAT.format(value);

/** `1 node`, `18 nodes` */
export const count = (value: number, noun: string): string =>
  `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
