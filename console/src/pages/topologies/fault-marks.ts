import { StateEffect, StateField, type Extension, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import type { PlacedFault } from './topology-text.js';

/** Replaces the faults that stand in the text. */
export const setFaults = StateEffect.define<readonly PlacedFault[]>();

class FaultText extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: FaultText): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = 'cm-fault';
    element.textContent = this.text;
    element.title = this.text;
    return element;
  }
}

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setFaults)) continue;
      const { doc } = transaction.state;
      const byLine = Map.groupBy(effect.value, ({ line }) => Math.min(line, doc.lines));
      const ranges: Range<Decoration>[] = [];
      for (const [number, faults] of byLine) {
        const line = doc.line(number);
        const [first] = faults;
        const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
        const text = `${first?.path}: ${first?.message}${more}`;
        ranges.push(Decoration.line({ class: 'cm-fault-line' }).range(line.from));
        ranges.push(Decoration.widget({ widget: new FaultText(text), side: 1 }).range(line.to));
      }
      return Decoration.set(ranges, true);
    }
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Shows faults at the ends of their lines. */
export const faultMarks: Extension = marks;
