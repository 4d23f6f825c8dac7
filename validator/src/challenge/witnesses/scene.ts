import type { Draw } from '../cascade/draw.ts';
import { type Block, plantTree, type Tree } from '../cascade/tree.ts';

/** Where the witnesses stand: blocks in a frame. Sizes are CSS pixels. */
export interface Scene {
  readonly tree: Tree;
  /** Of the frame that shows the document. */
  readonly width: number;
  readonly height: number;
  /** How wide each block is that is a container, which is the block around a leaf. */
  readonly containers: ReadonlyMap<Block, number>;
  /** Rules that make the blocks so. */
  readonly css: string;
}

/** Each group is as wide as is drawn, and its blocks share that by numbers that are drawn. */
export function drawScene(draw: Draw): Scene {
  const tree = plantTree(draw);
  const width = draw.int(500, 900);
  // Clearly lying or standing.
  const height = draw.flip() ? width - draw.int(100, 300) : width + draw.int(100, 300);
  const containers = new Map<Block, number>();
  let css = '';
  for (const { group, middles } of tree.groups) {
    const parts = middles.map((middle) => ({ middle, share: draw.int(1, 5) }));
    const whole = draw.int(300, 900);
    const shares = parts.reduce((sum, { share }) => sum + share, 0);
    css += `.${draw.of(group.classes)}{width:${whole}px}`;
    for (const { middle, share } of parts) {
      containers.set(middle, (whole * share) / shares);
      css += `.${draw.of(middle.classes)}{flex:${share} 1 0px}`;
    }
  }
  return { tree, width, height, containers, css };
}
