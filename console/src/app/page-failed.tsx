import { Away } from '../ui/away.js';
import { DeadEnd } from '../ui/dead-end.js';
import { PartMissing } from '../ui/lazy-part.js';

/** Stands for a page that could not be loaded, or that has failed. */
export function PageFailed({ error }: { error: unknown }) {
  if (error instanceof PartMissing)
    return (
      <main className="dead" id="main" tabIndex={-1}>
        <Away missing={error.message} />
      </main>
    );
  return (
    <DeadEnd
      title="This page has failed"
      text={`${error instanceof Error ? error.message : String(error)}. Reload it; if it fails again, it is a fault of the console.`}
      code="CONSOLE_ERROR"
    />
  );
}
