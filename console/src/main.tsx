import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { ensureCaller } from './api/caller.js';
import { ApiError } from './api/http.js';
import { router } from './app/router.js';
import { SignInGate } from './app/sign-in-gate.js';
import './css/index.css';

/**
 * What the service refuses stays refused; what it could not answer is asked again, unless it asks
 * to wait.
 */
const retry = (failures: number, error: Error): boolean =>
  failures < 2 &&
  !(
    error instanceof ApiError &&
    (error.retryAfterSeconds !== null || (error.status >= 400 && error.status < 500))
  );

ensureCaller();
const queries = new QueryClient({ defaultOptions: { queries: { retry } } });
const place = document.getElementById('root');
if (place)
  createRoot(place).render(
    <QueryClientProvider client={queries}>
      <SignInGate>
        <RouterProvider router={router} />
      </SignInGate>
    </QueryClientProvider>,
  );
