import { clip } from '../clip.ts';
import { LIMITS } from '../../../page-contract/limits.ts';
import type { Source } from '../source.ts';

interface UserAgentData {
  readonly brands: readonly { readonly brand: string; readonly version: string }[];
  readonly platform: string;
  getHighEntropyValues(names: readonly string[]): Promise<{ readonly fullVersionList?: unknown }>;
}

/** User-Agent Client Hints, section 4. Only Chromium has them, and only in a secure context. */
export const hints: Source<'hints'> = async () => {
  const { userAgentData } = navigator as Navigator & { readonly userAgentData?: UserAgentData };
  if (!userAgentData) return undefined;
  const { fullVersionList } = await userAgentData.getHighEntropyValues(['fullVersionList']);
  return {
    brands: Array.from(userAgentData.brands)
      .slice(0, LIMITS.listItems)
      .map(({ brand, version }) => ({ brand: clip(brand), version: clip(version) })),
    platform: clip(userAgentData.platform),
    fullVersions: Array.isArray(fullVersionList) ? fullVersionList.length : null,
  };
};
