import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AccessAction } from '../../../src/domain/roles.js';
import { useRefusal } from '../api/session.js';

interface AllowedLinkProps extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  /** What the page that it leads to is for. */
  action: AccessAction;
  className: string;
  children: ReactNode;
}

/** A link that looks like a button; disabled, if the role may not do what it leads to. */
export function AllowedLink({ action, className, children, ...link }: AllowedLinkProps) {
  const refusal = useRefusal(action);
  if (refusal === undefined)
    return (
      <Link {...link} className={className}>
        {children}
      </Link>
    );
  return (
    <button className={className} disabled title={refusal}>
      {children}
    </button>
  );
}
