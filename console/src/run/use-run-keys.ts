import { evidenceAt } from '../model/view/findings-at.js';
import { useKeys } from '../ui/use-keys.js';
import { FIT_GRAPH } from './graph/fit-event.js';
import type { RunView } from './run-context.js';

/** Parts of the page are loaded if they are wanted: so many frames may pass until an element is there. */
const MOST_FRAMES = 300;

function focusWhenThere(id: string, frames = 0): void {
  const element = document.getElementById(id);
  if (element) element.focus();
  else if (frames < MOST_FRAMES) requestAnimationFrame(() => focusWhenThere(id, frames + 1));
}

/** The keys of a run's page. */
export function useRunKeys(view: RunView): void {
  const { model, seq, selected, playing, filter, actions } = view;
  const stop = (): void => actions.setPlaying(false);
  const move = (by: number): void => {
    const to = Math.max(1, seq + by);
    stop();
    actions.seek(to >= model.last ? null : to);
  };
  const moveSelection = (by: number): void =>
    actions.pick(Math.min(model.last, Math.max(1, (selected ?? 0) + by)));
  const evidence = (forward: boolean): void => {
    const all = evidenceAt(model, seq);
    const next = forward
      ? (all.find((seq) => seq > (selected ?? 0)) ?? all[0])
      : (all.findLast((seq) => seq < (selected ?? Infinity)) ?? all.at(-1));
    if (next !== undefined) actions.pick(next);
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
      actions.setNarrow('log');
      focusWhenThere('log-search');
    },
    p: () => {
      actions.setView('log');
      actions.setFilter(filter === 'problems' ? null : 'problems');
    },
    r: () => actions.setSide('report'),
    e: () => actions.setSide('detail'),
    a: () => {
      actions.setSide('ask');
      actions.setNarrow('ask');
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
