import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from './icon.js';

interface DeadEndProps {
  title: string;
  text: string;
  code: string;
  icon?: 'search' | 'clock';
  /** The page that leads on. */
  way?: { to: '/runs' | '/topologies' | '/conversations'; label: string };
  /** It stands within a page, not in place of it. */
  isPart?: boolean;
  children?: ReactNode;
}

const RUNS = { to: '/runs', label: 'All runs' } as const;

/** A page, or the part of one, that cannot be shown: what it is, its code, and a way out. */
export function DeadEnd({
  title,
  text,
  code,
  icon = 'search',
  way = RUNS,
  isPart = false,
  children,
}: DeadEndProps) {
  const said = (
    <>
      <Icon name={icon} size={36} />
      <h1>{title}</h1>
      <p className="mute">{text}</p>
      <p>
        <code>{code}</code>
      </p>
      {children}
      <Link to={way.to} className="btn">
        {way.label}
      </Link>
    </>
  );
  if (isPart) return <section className="dead">{said}</section>;
  return (
    <main className="dead" id="main" tabIndex={-1}>
      {said}
    </main>
  );
}
