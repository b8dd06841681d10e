import { median } from './stats.mjs';

/** The measurements of a row by quantity and contender, and the targets. */
export class Table {
  measurements = [];
  targets = [];
  notes = [];

  add(what, by, unit, value) {
    const known = this.measurements.find((m) => m.what === what && m.by === by);
    if (known) known.values.push(value);
    else this.measurements.push({ what, by, unit, values: [value] });
  }

  median(what, by) {
    const values = this.measurements.find((m) => m.what === what && m.by === by)?.values;
    return values === undefined ? undefined : median(values);
  }

  /** Divides the medians of two contenders and compares the ratio with a target (`>= 0.6`). */
  ratio(what, by, of, sign, wanted) {
    const one = this.median(what, by);
    const other = this.median(what, of);
    this.target(
      `${what}: ${by} / ${of}`,
      one === undefined || other === undefined ? undefined : one / other,
      sign,
      wanted,
    );
  }

  target(what, value, sign, wanted, unit = '') {
    const met = value === undefined ? undefined : sign === '>=' ? value >= wanted : value <= wanted;
    this.targets.push({ what, value, sign, wanted, unit, met });
  }

  note(text) {
    if (!this.notes.includes(text)) this.notes.push(text);
  }
}
