export interface Product {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  /** The price in cents. */
  readonly price: number;
  readonly glaze: string;
  /** The outline of the right half, from the rim down. Each point is [radius, height] on a field of 100 by 100. */
  readonly profile: readonly (readonly [number, number])[];
}

export const products: readonly Product[] = [
  {
    id: 'morning-mug',
    name: 'Morning mug',
    note: 'Holds exactly one good coffee.',
    price: 2400,
    glaze: '#c8643c',
    profile: [
      [22, 25],
      [23, 50],
      [22, 75],
      [18, 80],
    ],
  },
  {
    id: 'tall-vase',
    name: 'Tall vase',
    note: 'For one branch, not for a bouquet.',
    price: 6800,
    glaze: '#3f6f79',
    profile: [
      [9, 12],
      [7, 26],
      [19, 48],
      [20, 66],
      [12, 86],
    ],
  },
  {
    id: 'soup-bowl',
    name: 'Soup bowl',
    note: 'Deep, wide, warm in both hands.',
    price: 3200,
    glaze: '#d5a13f',
    profile: [
      [37, 38],
      [33, 60],
      [18, 76],
      [14, 82],
    ],
  },
  {
    id: 'oil-jug',
    name: 'Oil jug',
    note: 'Pours without a drop left behind.',
    price: 4500,
    glaze: '#6d7f4a',
    profile: [
      [8, 18],
      [8, 34],
      [24, 52],
      [26, 70],
      [20, 82],
    ],
  },
  {
    id: 'moon-jar',
    name: 'Moon jar',
    note: 'Round, and never quite the same.',
    price: 12000,
    glaze: '#8b8fa8',
    profile: [
      [13, 20],
      [30, 34],
      [36, 52],
      [29, 70],
      [15, 82],
    ],
  },
  {
    id: 'salt-cellar',
    name: 'Salt cellar',
    note: 'Small enough to be passed around.',
    price: 1800,
    glaze: '#a1506a',
    profile: [
      [20, 50],
      [24, 62],
      [21, 76],
      [15, 80],
    ],
  },
];

const byId = new Map(products.map((product) => [product.id, product]));

export function findProduct(id: string): Product | undefined {
  return byId.get(id);
}

/** Returns a price as a text, such as `€24.00`. */
export function formatPrice(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`;
}

/** Returns a drawing of the product: its profile and the mirrored profile. */
export function drawProduct({ name, glaze, profile }: Product): string {
  const right = profile.map(([radius, y]) => `${50 + radius},${y}`);
  const left = profile.toReversed().map(([radius, y]) => `${50 - radius},${y}`);
  const [rim, rimY] = profile[0] ?? [0, 0];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" role="img" aria-label="${name}">
<ellipse cx="50" cy="87" rx="30" ry="4" fill="#000" opacity=".14"/>
<polygon points="${[...right, ...left].join(' ')}" fill="${glaze}" stroke="${glaze}" stroke-width="5" stroke-linejoin="round"/>
<ellipse cx="50" cy="${rimY}" rx="${rim}" ry="${rim / 6}" fill="#000" opacity=".28"/>
</svg>`;
}
