import { z } from 'zod';
import { refuse } from '../problems/refuse.ts';

/** Colours of a brand. They are changed so that people can read the text on them. */

/** The background of the cards of the pages. The contrast of a colour is measured against this background. */
export const CARD = { light: '#ffffff', dark: '#1b2029' } as const;

const INK = { light: '#ffffff', dark: '#10141c' } as const;
/** WCAG 2.2, 1.4.11: the least contrast of elements other than text, such as the edge of a button. */
const LEAST_CONTRAST = 3;
const MAX_STEPS = 20;

/** A colour written as `#rgb` or `#rrggbb`. The result has six digits in lower case. */
export const Colour = z
  .string()
  .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'expected a colour such as "#0a7d4f", in quotes')
  .transform((text) => {
    const hex = text.slice(1).toLowerCase();
    return `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`;
  });

interface Shade {
  readonly accent: string;
  readonly onAccent: string;
}

interface Accent {
  readonly light: Shade;
  readonly dark: Shade;
}

/** An accent colour that can be seen on a white card. For dark mode it is made lighter if needed. */
export const AccentColour = Colour.transform((colour, context): Accent => {
  if (contrast(colour, CARD.light) < LEAST_CONTRAST) {
    return refuse(
      context,
      `expected a darker colour: this one has a contrast of ${contrast(colour, CARD.light).toFixed(1)}:1 to white, and people need at least ${LEAST_CONTRAST}:1`,
    );
  }
  return { light: shade(colour), dark: shade(lighten(colour)) };
});

/** The contrast of two colours: a number from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(first: string, second: string): number {
  const [high = 0, low = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function shade(accent: string): Shade {
  const isWhiteReadable = contrast(accent, INK.light) >= contrast(accent, INK.dark);
  return { accent, onAccent: isWhiteReadable ? INK.light : INK.dark };
}

/** Mixes the colour with as much white as it needs to be visible on a dark card. */
function lighten(colour: string): string {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const mixedColour = mixWithWhite(colour, step / MAX_STEPS);
    if (contrast(mixedColour, CARD.dark) >= LEAST_CONTRAST * 1.5) return mixedColour;
  }
  return CARD.light;
}

function mixWithWhite(colour: string, share: number): string {
  const mixedChannels = channels(colour).map((value) => Math.round(value + (255 - value) * share));
  return `#${mixedChannels.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The "relative luminance" of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
