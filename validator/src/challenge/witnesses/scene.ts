import type { Draw } from '../cascade/draw.ts';
import { type Block, plantTree, type Tree } from '../cascade/tree.ts';

/** The layout of the witnesses: blocks in a frame. Sizes are CSS pixels. */
export interface Scene {
  readonly tree: Tree;
  /** The width of the frame that shows the document. */
  readonly width: number;
  readonly height: number;
  /** The width of each block that is a container. Every block around a leaf is a container. */
  readonly containers: ReadonlyMap<Block, number>;
  /** Rules that give the blocks these widths. */
  readonly css: string;
}

/** Draws the layout. Each group of blocks has a random width, which its blocks share in random proportions. */
export function drawScene(draw: Draw): Scene {
  const tree = plantTree(draw);
  const width = draw.int(500, 900);
  // Clearly landscape or portrait.
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
