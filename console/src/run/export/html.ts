const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML that shows the same text. */
export const plain = (text: string): string =>
  text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

/** A link; for an address that is none of the web, its text. */
export const linkTo = (address: string, text: string): string =>
  /^https?:\/\//.test(address) || address.startsWith('#')
    ? `<a href="${plain(address)}">${plain(text)}</a>`
    : plain(text);
