import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isRole, leastRoleFor, mayDo, type AccessAction } from '../../../src/domain/roles.js';
import { ask, call, SIGNED_OUT } from './http.js';

/** Who the service takes this browser for. */
export interface Principal {
  tenant: string;
  principal: string;
  role: string;
}

const PATH = '/auth/session';
/** The principal of everybody without authentication. */
const LOCAL = 'local';

export const principalQuery = () =>
  queryOptions({
    queryKey: ['principal'],
    queryFn: ({ signal }) => call<Principal>('GET', PATH, { signal }),
    staleTime: Infinity,
  });

/** Whether it signed in, so that it can sign out. */
export const hasSignedIn = ({ principal }: Principal): boolean => principal !== LOCAL;

/** Why the person may not do something. Undefined: they may, or it is not known who they are. */
export function useRefusal(action: AccessAction): string | undefined {
  const role = useQuery(principalQuery()).data?.role ?? '';
  if (!isRole(role) || mayDo(role, action)) return undefined;
  return `This needs the role ${leastRoleFor(action)}; you have ${role}.`;
}

/** Exchanges a credential for a session cookie. @throws ApiError */
export async function signIn(credential: string): Promise<void> {
  await ask('POST', PATH, { headers: { authorization: `Bearer ${credential}` } });
}

/** @throws ApiError */
export async function signOut(): Promise<void> {
  await ask('DELETE', PATH);
}

let signedOut = false;

/** Whether the service has asked for a credential. */
export const useSignedOut = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      const mark = () => {
        signedOut = true;
        changed();
      };
      addEventListener(SIGNED_OUT, mark);
      return () => removeEventListener(SIGNED_OUT, mark);
    },
    () => signedOut,
  );
