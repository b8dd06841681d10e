import { lazy, Suspense, type ReactNode } from 'react';
import { useSignedOut } from '../api/session.js';
import { part } from '../ui/lazy-part.js';

const SignIn = lazy(
  part(() => import('./sign-in.js').then((module) => ({ default: module.SignIn }))),
);

/** Shows the pages, or the sign-in page once the service has asked for a credential. */
export function SignInGate({ children }: { children: ReactNode }) {
  if (!useSignedOut()) return children;
  return (
    <Suspense>
      <SignIn />
    </Suspense>
  );
}
