import type { Facts } from '../../request/facts.ts';
import { FLOOR_OF_MANY, Group } from './group.ts';
import { OriginStrain } from './origin-strain.ts';

/** Longest path in the name of a part, in UTF-16 code units. Longer segments with the same beginning share one part. */
const MAX_SEGMENT = 64;

/** All paths of a site with the same first segment. */
export class PartOfSite extends Group {
  readonly origin: OriginStrain;

  constructor(name: string, nowMs: number) {
    super(name, nowMs, FLOOR_OF_MANY);
    this.origin = new OriginStrain(nowMs);
  }
}

/**
 * The name of the part of a site that a request asks for: the site and the first segment of the path. It comes from the
 * last path reading, in which everything is decoded and resolved: `/x/../search` is in the part `/search`.
 */
export function nameOfPart({ foldedPaths }: Pick<Facts, 'foldedPaths'>, site: string): string {
  const path = foldedPaths.at(-1) ?? '/';
  const end = path.indexOf('/', 1);
  return `${site} ${path.slice(0, Math.min(MAX_SEGMENT, end === -1 ? path.length : end))}`;
}
