import { CatchBoundary } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { Away } from './away.js';

/**
 * A part of the console could not be loaded: the service is away, or was replaced by another. The
 * router reloads the page by itself for the message of the browser, and shows that of the browser
 * while the service is away.
 */
export class PartMissing extends Error {
  constructor(cause: unknown) {
    super(`Not loaded: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/**
 * What loads a part of the console when it is wanted. It fails for good: browsers and the loader of
 * styles remember a failure, so that only another load of the page can succeed (see `Away`).
 */
export function part<T>(load: () => Promise<T>): () => Promise<T> {
  let missing: PartMissing | undefined;
  return async () => {
    if (missing) throw missing;
    try {
      return await load();
    } catch (error) {
      missing = new PartMissing(error);
      throw missing;
    }
  };
}

interface LazyPartProps {
  /** While it is loaded. */
  fallback?: ReactNode;
  children: ReactNode;
}

/** A place for a part of a page that is loaded when it is wanted. */
export function LazyPart({ fallback = null, children }: LazyPartProps) {
  return (
    <CatchBoundary getResetKey={() => 0} errorComponent={Missing}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </CatchBoundary>
  );
}

function Missing({ error }: { error: unknown }) {
  if (error instanceof PartMissing) return <Away missing={error.message} />;
  throw error;
}
