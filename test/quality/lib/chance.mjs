/** 0 to 1, the same in every run (FNV-1a, its bits mixed). */
export function chance(...parts) {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\t'))
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
