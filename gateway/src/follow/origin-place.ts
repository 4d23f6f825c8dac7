import type { Origin as OriginAddress } from '@guard/config/settings/values';

/** Where an origin is, as a span names it. A unix socket is its path and has no port. */
export interface OriginPlace {
  readonly host: string;
  readonly port: number | undefined;
}

const known = new WeakMap<OriginAddress, OriginPlace>();

/** Looks up the place of an origin, working it out for its first request. */
export function placeOf(address: OriginAddress): OriginPlace {
  const existing = known.get(address);
  if (existing !== undefined) return existing;
  const place = readPlace(address);
  known.set(address, place);
  return place;
}

function readPlace(address: OriginAddress): OriginPlace {
  switch (address.kind) {
    case 'unix':
      return { host: address.path, port: undefined };
    case 'url': {
      const { hostname, port, protocol } = new URL(address.origin);
      const usual = protocol === 'https:' ? 443 : 80;
      return { host: hostname, port: port === '' ? usual : Number(port) };
    }
  }
}
