import { lazy, useState } from 'react';
import { Icon } from '../../ui/icon.js';
import { LazyPart, part } from '../../ui/lazy-part.js';

const ShareMenu = lazy(
  part(() => import('./share-menu.js').then((module) => ({ default: module.ShareMenu }))),
);

/** The button of the menu to share a run; the menu itself is loaded on the first click. */
export function Share() {
  const [wanted, setWanted] = useState(false);
  const button = (
    <button className="btn" aria-haspopup="menu" onClick={() => setWanted(true)}>
      <Icon name="link" size={14} />
      Share
    </button>
  );
  if (!wanted) return button;
  return (
    <LazyPart fallback={button}>
      <ShareMenu />
    </LazyPart>
  );
}
