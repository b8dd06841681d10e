/** The tenant without authentication, and of data from before there were tenants. */
export const DEFAULT_TENANT = 'default';

const FORM = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const SEPARATOR = '/';

/** Whether a text can be the name of a tenant. It becomes part of Redis keys. */
export const isTenant = (text: string): boolean => FORM.test(text);

/**
 * The id of something of a tenant, unique among all tenants: `TENANT/ID`. In the default tenant the
 * id alone, as it was stored before there were tenants. @param id has no `/`
 */
export const inTenant = (tenant: string, id: string): string =>
  tenant === DEFAULT_TENANT ? id : `${tenant}${SEPARATOR}${id}`;

/** The tenant of such an id. Contract section 10. */
export function tenantOf(id: string): string {
  const at = id.indexOf(SEPARATOR);
  return at < 0 ? DEFAULT_TENANT : id.slice(0, at);
}
