import { HeaderGenerator } from 'header-generator';
import { seededRandom } from '../../test/kit/seeded-random.ts';
import { HOME_IP } from '../../test/kit/visitors/visitors.ts';
import { type Case, lowerCased } from '../case.ts';
import { contradictionOf } from './self-contradiction.ts';

const BROWSERS = ['chrome', 'firefox', 'safari', 'edge'] as const;
const HTTP_VERSIONS = ['1', '2'] as const;
const DEVICES = ['desktop', 'mobile'] as const;

export interface BrowserCases {
  readonly real: readonly Case[];
  /** Header sets that contradict themselves, so no real browser sent them. */
  readonly contradictory: readonly Case[];
}

/** Navigations over https that npm `header-generator` composes from recorded traffic. */
export function generatedBrowsers(seed: number, perKind: number): BrowserCases {
  const real: Case[] = [];
  const contradictory: Case[] = [];
  withSeededMathRandom(seed, () => {
    const generator = new HeaderGenerator();
    for (const browser of BROWSERS) {
      for (const httpVersion of HTTP_VERSIONS) {
        for (const device of DEVICES) {
          for (let i = 0; i < perKind; i++) {
            const generated = generator.getHeaders({
              browsers: [browser],
              httpVersion,
              devices: [device],
            });
            const headers = { host: 'shop.example', ...lowerCased(Object.entries(generated)) };
            const contradiction = contradictionOf(headers);
            const about = `${browser} ${device} http/${httpVersion}`;
            const unit = `${about} ${i}`;
            const request = { url: 'https://shop.example/', ip: HOME_IP, method: 'GET', headers };
            if (contradiction === undefined) real.push({ about, request, unit });
            else contradictory.push({ about: `${about}: ${contradiction}`, request, unit });
          }
        }
      }
    }
  });
  return { real, contradictory };
}

/** Calls a synchronous function with a seeded `Math.random`, because header-generator uses it and takes no seed. */
function withSeededMathRandom<T>(seed: number, run: () => T): T {
  const original = Math.random;
  Math.random = seededRandom(seed).next;
  try {
    return run();
  } finally {
    Math.random = original;
  }
}
