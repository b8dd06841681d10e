/**
 * Numbers of errors: https://mariadb.com/docs/server/reference/error-codes, and the same of MySQL
 * up to 1999.
 */

/** The user lacks a privilege that the statement needs. */
export const LACKS_PRIVILEGE = '1227';

/**
 * No access with this user, password or host; an expired or locked account; TLS is required (MySQL,
 * MariaDB).
 */
const REFUSES_USER = ['1045', '1130', '1698', '1820', '1862', '3118', '3159', '4151'];

/** Whether the server does not accept the user. */
export const refusesMysqlUser = (code: string): boolean => REFUSES_USER.includes(code);
