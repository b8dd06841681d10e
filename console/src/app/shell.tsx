import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { toggleTheme } from '../ui/theme.js';
import { LazyPart, part } from '../ui/lazy-part.js';
import { isTyping, useKeys } from '../ui/use-keys.js';
import { NAV } from './nav.js';
import { Rail } from './rail.js';

const Palette = lazy(
  part(() => import('./palette.js').then((module) => ({ default: module.Palette }))),
);

const Help = lazy(part(() => import('./help.js').then((module) => ({ default: module.Help }))));

/** G and the key of a page must be at most so far apart. */
const CHORD_MS = 1_000;

/** What stands around every page. */
export function Shell() {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const close = () => setOpen(null);
  useTitle();
  useCtrlK(() => setOpen('palette'));
  usePageKeys(() => setOpen('help'));
  return (
    <>
      <button
        className="skip"
        onClick={() => document.getElementById('main')?.focus()}
        type="button"
      >
        To the content
      </button>
      <Rail onSearch={() => setOpen('palette')} onHelp={() => setOpen('help')} />
      <div className="page">
        <Suspense fallback={<main className="pad" id="main" />}>
          <Outlet />
        </Suspense>
      </div>
      {open === 'palette' && (
        <LazyPart>
          <Palette onClose={close} />
        </LazyPart>
      )}
      {open === 'help' && (
        <LazyPart>
          <Help onClose={close} />
        </LazyPart>
      )}
    </>
  );
}

function useTitle(): void {
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    const [page, id] = path.split('/').filter((part) => part !== '');
    const label = NAV.find(({ to }) => to === `/${page}`)?.label ?? 'Runs';
    document.title = `${label}${id ? ` ${id.slice(0, 8)}` : ''} · Consilium`;
  }, [path]);
}

function useCtrlK(onPress: () => void): void {
  const press = useRef(onPress);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) press.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** G, then the key of a page; the keys that hold everywhere. */
function usePageKeys(onHelp: () => void): void {
  const navigate = useNavigate();
  const chord = useRef(-Infinity);
  useEffect(() => {
    // Before the keys of the page, which may mean something else by the second key.
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (document.querySelector('dialog[open]')) return;
      // The time of the key, not of its handling: a busy page handles keys late.
      const since = event.timeStamp - chord.current;
      chord.current = event.key === 'g' ? event.timeStamp : -Infinity;
      const page = since < CHORD_MS ? NAV.find(({ key }) => key === event.key) : undefined;
      if (!page) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void navigate({ to: page.to });
    };
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, [navigate]);
  useKeys({ '?': onHelp, t: toggleTheme });
}
