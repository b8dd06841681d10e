import type { ReactNode } from 'react';
import { Icon } from './icon.js';

interface DisclosureProps {
  title: ReactNode;
  count?: ReactNode;
  open?: boolean;
  children: ReactNode;
}

/** A part that is folded away until it is asked for. */
export function Disclosure({ title, count, open = false, children }: DisclosureProps) {
  return (
    <details className="disc" open={open}>
      <summary>
        <Icon name="right" size={12} />
        {title}
        {count !== undefined && <span className="mute">{count}</span>}
      </summary>
      <div className="disc-body">{children}</div>
    </details>
  );
}
