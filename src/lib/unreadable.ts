/**
 * Why a file cannot be read, for the person who named it: `Cannot read shop.yaml: there is no such
 * file.`
 */
export function unreadable(path: string, cause: unknown): string {
  const { code } = cause as { code?: string };
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EISDIR'
        ? 'it is a folder'
        : (code ?? String(cause));
  return `Cannot read ${path}: ${why}.`;
}
