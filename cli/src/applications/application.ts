import type { Preset } from '@guard/config/settings/sections/preset-names';

/** The paths that Guard requests after the front page, in this order. */
export const ASKED_PATHS = ['/robots.txt', '/v2/', '/_matrix/client/versions'] as const;

/**
 * A sign of an application. Without `pathSuffix`, Guard looks for it in the front page, and in the pages to which the
 * front page redirects.
 */
export type Sign = { readonly pathSuffix?: (typeof ASKED_PATHS)[number] } & (
  | { readonly kind: 'header'; readonly name: string; readonly has?: string }
  /** The beginning of a cookie's name. */
  | { readonly kind: 'cookie'; readonly name: string }
  /** The beginning of the content of `<meta name="generator">`. */
  | { readonly kind: 'generator'; readonly name: string }
  /** A part of the address of a script or a `<link>`. */
  | { readonly kind: 'asset'; readonly path: string }
  | { readonly kind: 'text'; readonly text: string }
);

export interface Application {
  readonly title: string;
  /** One of these signs is enough to recognise the application. */
  readonly signs: readonly Sign[];
  readonly presets: readonly { readonly preset: Preset; readonly why: string }[];
  readonly rules: readonly NeededRule[];
}

export interface NeededRule {
  readonly why: string;
  /** The rule as a line of guard.yaml. */
  readonly line: string;
  /** A path that the rule lets through. */
  readonly example: string;
}

/** A preset that several applications need. */
export const FEEDS = { preset: 'feeds', why: 'Feed readers fetch the feeds.' } as const;
