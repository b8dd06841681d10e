import type { Ground } from '../../model/view/grounds-at.js';
import { Icon } from '../../ui/icon.js';

const SIGNS = {
  for: { className: 'is-for', icon: 'check', word: 'For' },
  against: { className: 'is-against', icon: 'warn', word: 'Against' },
  neither: { className: 'is-neutral', icon: 'info', word: 'Note' },
} as const;

/** The evidence about a cause: for it, against it or neutral, each with its sign. */
export function Grounds({ grounds }: { grounds: readonly Ground[] }) {
  return (
    <ul className="grounds">
      {grounds.map(({ speaks, text }) => {
        const { className, icon, word } = SIGNS[speaks];
        return (
          <li key={text} className={className}>
            <Icon name={icon} size={13} />
            <span>
              <span className="sr">{word}: </span>
              {text}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
