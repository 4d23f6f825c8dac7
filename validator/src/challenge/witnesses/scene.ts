import type { Draw } from '../cascade/draw.ts';
import { type Block, plantTree, type Tree } from '../cascade/tree.ts';

/** The layout of the witness document: blocks in a frame. Sizes are in CSS pixels. */
export interface Scene {
  readonly tree: Tree;
  /** The width of the frame that shows the document. */
  readonly width: number;
  readonly height: number;
  /** The width of each container. Every block around a leaf is a container. */
  readonly containers: ReadonlyMap<Block, number>;
  /** Rules that give the containers these widths. */
  readonly css: string;
}

/** Draws the layout. Each group has a random width, and its blocks share this width in random proportions. */
export function drawScene(draw: Draw): Scene {
  const tree = plantTree(draw);
  const width = draw.int(500, 900);
  // The frame is clearly landscape or clearly portrait.
  const height = draw.flip() ? width - draw.int(100, 300) : width + draw.int(100, 300);
  const containers = new Map<Block, number>();
  let css = '';
  for (const { group, middles } of tree.groups) {
    const parts = middles.map((middle) => ({ middle, share: draw.int(1, 5) }));
    const whole = draw.int(300, 900);
    const shares = parts.reduce((sum, { share }) => sum + share, 0);
    css += `.${draw.pick(group.classes)}{width:${whole}px}`;
    for (const { middle, share } of parts) {
      containers.set(middle, (whole * share) / shares);
      css += `.${draw.pick(middle.classes)}{flex:${share} 1 0px}`;
    }
  }
  return { tree, width, height, containers, css };
}
