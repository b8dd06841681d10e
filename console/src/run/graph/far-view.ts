/** Below this zoom the text of cards cannot be read: names stand below them, as large as elsewhere. */
const FAR = 0.62;
/** Below this one, only the names of root causes have room. */
const TINY = 0.2;

/** Tells the styles of a graph how far away it is. */
export function showScale(graph: HTMLElement, zoom: number): void {
  graph.style.setProperty('--unzoom', String(1 / zoom));
  graph.classList.toggle('is-far', zoom < FAR);
  graph.classList.toggle('is-tiny', zoom < TINY);
}
