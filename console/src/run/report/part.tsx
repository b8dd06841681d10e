import type { ReactNode } from 'react';

interface PartProps {
  title: string;
  /** How many entries it has, beside the title. */
  count?: number;
  className?: string;
  children: ReactNode;
}

/** A part of the report. */
export function Part({ title, count, className, children }: PartProps) {
  return (
    <section className={className}>
      <h3 className="h-part">
        {title} {count !== undefined && <span className="mute">{count}</span>}
      </h3>
      {children}
    </section>
  );
}
