import type { Settings } from '../schema.ts';
import { type SharedPlace, sharedPlace } from './shared-place.ts';

/** Where temporary decisions are kept. */
export function decisionsPlace(settings: Settings): SharedPlace {
  return sharedPlace(settings, 'decisions.json');
}
