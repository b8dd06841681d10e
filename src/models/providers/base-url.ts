/** What is wrong with a base URL, in words that do not repeat it: it may have a password in it. */
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
 * The base URL with the version in its path, as the protocols have it: `https://host` is `https://host/v1`, with a path that
 * ends in a version it is left as it is.
 * @param always also where there is a path without one, as Anthropic's own clients do
 */
export function withVersion(baseUrl: string, always: boolean): string {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  const whole = path === '' || (always && !/\/v\d+\w*$/.test(path)) ? `${path}/v1` : path;
  return `${url.origin}${whole}`;
}
