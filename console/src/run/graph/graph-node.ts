/** A node as pictures of a topology need it. */
export interface GraphNode {
  id: string;
  name: string;
  kind: string;
  dependsOn: string[];
  team?: string | null;
}
