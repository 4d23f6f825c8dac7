import type { Draw } from './draw.ts';

/** A box of the page. Boxes are nested, and each has two unique classes. */
export interface Block {
  readonly classes: readonly [string, string];
}

export interface Leaf extends Block {
  /** Position among the children of `middle`, starting with 1. */
  readonly place: number;
  readonly middle: Block;
  readonly group: Block;
  /** The earlier leaves in the same block. */
  readonly before: readonly Block[];
}

export interface Tree {
  readonly leaves: readonly Leaf[];
  readonly groups: readonly { readonly group: Block; readonly middles: readonly Block[] }[];
  /** Returns the name of a class that no block has yet. */
  readonly nextName: () => string;
  /** A class that no block has. */
  readonly foreign: string;
  /**
   * The blocks, separated by `;`. Each is written as `parent.class.class`. The parent is the number of an earlier
   * block, and 0 is the root.
   */
  readonly text: string;
}

const GROUPS = 2;
const MIDDLES = 2;
const LEAVES = 3;

export function plantTree(draw: Draw): Tree {
  const nextName = draw.names();
  const block = (): Block => ({ classes: [nextName(), nextName()] });
  let text = '';
  let blockCount = 0;
  const plant = (parent: number, { classes: [one, two] }: Block) => {
    text += `${blockCount === 0 ? '' : ';'}${parent}.${one}.${two}`;
    return ++blockCount;
  };
  const leaves: Leaf[] = [];
  const groups: { group: Block; middles: Block[] }[] = [];
  for (let g = 0; g < GROUPS; g++) {
    const group = block();
    const groupAt = plant(0, group);
    const middles: Block[] = [];
    groups.push({ group, middles });
    for (let m = 0; m < MIDDLES; m++) {
      const middle = block();
      const middleAt = plant(groupAt, middle);
      middles.push(middle);
      const earlierLeaves: Block[] = [];
      for (let place = 1; place <= LEAVES; place++) {
        const leaf: Leaf = { ...block(), place, middle, group, before: [...earlierLeaves] };
        plant(middleAt, leaf);
        earlierLeaves.push(leaf);
        leaves.push(leaf);
      }
    }
  }
  return { leaves, groups, nextName, foreign: nextName(), text };
}
