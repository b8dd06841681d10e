import { evidenceAt } from '../model/view/findings-at.js';
import { busiestAt, costliestAt } from '../model/view/rows-at.js';
import { duration, spentText } from '../ui/format.js';
import { focusWhenThere } from '../ui/focus-when-there.js';
import { useKeys } from '../ui/use-keys.js';
import { FIT_GRAPH } from './graph/fit-event.js';
import type { RunView } from './run-context.js';

/**
 * The event of the address, which is ahead of what is drawn while keys follow each other quickly.
 */
const selectedNow = (): number | undefined =>
  Number(/^#(\d+)$/.exec(location.hash)?.[1]) || undefined;

/** The keys of a run's page. */
export function useRunKeys(view: RunView): void {
  const { model, seq, playing, filter, actions } = view;
  const stop = (): void => actions.setPlaying(false);
  const move = (by: number): void => {
    const to = Math.max(1, seq + by);
    stop();
    actions.seek(to >= model.last ? null : to);
  };
  const moveSelection = (by: number): void =>
    actions.pick(Math.min(model.last, Math.max(1, (selectedNow() ?? 0) + by)));
  const evidence = (forward: boolean): void => {
    const all = evidenceAt(model, seq);
    const at = all.indexOf(selectedNow() ?? 0);
    const next = forward ? (all[at + 1] ?? all[0]) : all.at(Math.max(at, 0) - 1);
    if (next !== undefined) actions.pick(next);
  };
  const showBusiest = (): void => {
    const busiest = busiestAt(model, seq);
    if (!busiest) return actions.toast('No agent has used a model');
    const { row, tookMs, longestSeq } = busiest;
    actions.setView('timeline');
    actions.pick(longestSeq);
    const hasEnded = row.endSeq !== null && row.endSeq <= seq;
    const end = (hasEnded ? row.endTime : null) ?? model.timeAt(seq);
    const whole = duration(end - row.startTime);
    actions.toast(
      `No agent has used a model. Longest at work: ${row.name}, ${duration(tookMs)} of its ${whole}`,
    );
  };
  const showCostliest = (): void => {
    const costliest = costliestAt(model, seq);
    if (!costliest) return showBusiest();
    const { row, used } = costliest;
    actions.setView('timeline');
    // Its last use says what it has cost in all.
    actions.pick(used.seq);
    actions.toast(`Costliest agent: ${row.name}, ${spentText(used)}`);
  };
  const seekTo = (to: number | null): void => {
    stop();
    actions.seek(to);
  };
  useKeys({
    ' ': () => actions.setPlaying(!playing),
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    'Shift+ArrowLeft': () => move(-10),
    'Shift+ArrowRight': () => move(10),
    Home: () => seekTo(1),
    End: () => seekTo(null),
    l: () => seekTo(null),
    j: () => moveSelection(1),
    k: () => moveSelection(-1),
    ']': () => evidence(true),
    '[': () => evidence(false),
    '1': () => actions.setView('timeline'),
    '2': () => actions.setView('log'),
    '/': () => {
      actions.setView('log');
      focusWhenThere('log-search');
    },
    p: () => {
      actions.setView('log');
      actions.setFilter(filter === 'problems' ? null : 'problems');
    },
    c: showCostliest,
    r: () => actions.setSide('report'),
    e: () => actions.setSide('detail'),
    a: () => {
      actions.setSide('ask');
      focusWhenThere('ask');
    },
    f: () => dispatchEvent(new Event(FIT_GRAPH)),
    '.': () => {
      void navigator.clipboard?.writeText(location.href);
      actions.toast('Link copied');
    },
    Escape: () => actions.leave(),
  });
}
