/**
 * Returns the fault of a base URL. The text does not repeat the URL, because it may contain a
 * password.
 */
export function baseUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL like https://api.example.com/v1';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '')
    return 'must have no user and password: a key goes into a variable';
  if (url.search !== '' || url.hash !== '') return 'must have no query and no fragment';
  return undefined;
}

/**
 * Adds the version to the path of a base URL: `https://host` becomes `https://host/v1`. A path that
 * ends in a version stays unchanged.
 * @param always also adds it to any other path, as Anthropic's own clients do
 */
export function withVersion(baseUrl: string, always: boolean): string {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const whole = path === '' || (always && !/\/v\d+\w*$/.test(path)) ? `${path}/v1` : path;
  return `${url.origin}${whole}`;
}
