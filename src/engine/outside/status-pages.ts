/**
 * The pages in a document that holds those of several providers, as a list or by their names: a
 * healthy one does not rule out any other.
 */
export function pagesIn(document: unknown): unknown[] {
  if (Array.isArray(document)) return document.flatMap(pagesIn);
  if (!isObject(document) || 'incidents' in document) return [document];
  const parts = Object.values(document).filter(isObject);
  return parts.some(holdsPages) ? parts.flatMap(pagesIn) : [document];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const holdsPages = (part: object): boolean =>
  Array.isArray(part) ? part.filter(isObject).some(holdsPages) : 'incidents' in part;
