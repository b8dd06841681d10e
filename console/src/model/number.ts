// Made once: a formatter costs more than what it formats.
const FORMAT = new Intl.NumberFormat('en');

/** `9,999` */
export const number = (value: number): string => FORMAT.format(value);
