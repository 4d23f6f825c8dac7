export const ENGINES = ['chromium', 'gecko', 'webkit'] as const;
export type Engine = (typeof ENGINES)[number];
export type Platform = 'windows' | 'macos' | 'linux' | 'android' | 'ios' | 'chromeos' | 'unknown';

/** The Chromium browsers whose version determines their headers. All other browsers are `other`. */
type Product = 'chrome' | 'edge' | 'opera' | 'other';

export interface BrowserClaim {
  /** Undefined when the User-Agent claims no engine that is still in use. */
  readonly engine: Engine | undefined;
  /** Major version from the token of the engine: Chrome/N, Firefox/N, Version/N. 0 without such a token. */
  readonly major: number;
  readonly product: Product;
  readonly mobile: boolean;
  readonly platform: Platform;
  /** Whether the browser is inside an app, a television or another program. Such a browser sends fewer headers. */
  readonly embedded: boolean;
  /** Whether the User-Agent claims any browser, including browsers that no longer exist. */
  readonly recognised: boolean;
}

const EMBEDDED_PATTERN = new RegExp(
  [
    '; wv\\)',
    'Version/4\\.0 Chrome/',
    'QtWebEngine|Electron/|CefSharp|Valve Steam',
    'FBAN|FBAV|Instagram|Snapchat|MicroMessenger|Line/|Pinterest|musical_ly|Bytedance',
    'SMART-TV|SmartTV|Tizen|Web0S|webOS|CrKey|BRAVIA|AFT[A-Z]|Xbox|PlayStation|Nintendo',
  ].join('|'),
);

/**
 * The User-Agent of Chrome, with the additions of Edge and Opera. A browser with another addition is another product.
 */
const PLAIN_CHROMIUM =
  /\(KHTML, like Gecko\) Chrome\/\d+[\d.]* (?:Mobile )?Safari\/537\.36(?: (EdgA?|OPR)\/[\d.]+)?$/;

/** Old browsers and browsers of small devices. */
const OTHER_BROWSER =
  /AppleWebKit\/|Gecko\/|Trident\/|MSIE |Opera[ /]|Presto\/|KHTML\/|NetFront|Goanna\//;

/**
 * Reads the browser that a User-Agent claims. It recognises an engine only in exactly the form that browsers write,
 * because Guard expects the headers of a browser only with this form.
 */
export function readBrowserClaim(userAgent: string): BrowserClaim {
  const engine = engineOf(userAgent);
  const isEmbedded = EMBEDDED_PATTERN.test(userAgent);
  return {
    engine,
    major: engine === undefined ? 0 : majorOf(userAgent, engine),
    product: engine === 'chromium' && !isEmbedded ? productOf(userAgent) : 'other',
    mobile: /\bMobi/.test(userAgent),
    platform: PLATFORMS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'unknown',
    embedded: isEmbedded,
    recognised: engine !== undefined || OTHER_BROWSER.test(userAgent),
  };
}

/**
 * Like readBrowserClaim, but also recognises an engine in another form. Judges compare the evidence of a page with this
 * claim, because one more space must not make a browser unknown.
 */
export function readPageClaim(userAgent: string): BrowserClaim {
  const claim = readBrowserClaim(userAgent);
  const engine = claim.engine ?? namedEngine(userAgent);
  return engine === undefined ? claim : { ...claim, engine, major: majorOf(userAgent, engine) };
}

function namedEngine(userAgent: string): Engine | undefined {
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'webkit';
  if (MAJOR.chromium.test(userAgent)) return 'chromium';
  if (MAJOR.gecko.test(userAgent)) return 'gecko';
  return MAJOR.webkit.test(userAgent) && userAgent.includes('Safari/') ? 'webkit' : undefined;
}

function engineOf(userAgent: string): Engine | undefined {
  if (!userAgent.startsWith('Mozilla/5.0 (')) return undefined;
  // All browsers on iOS use WebKit.
  if (/iPhone|iPad|iPod/.test(userAgent)) return 'webkit';
  if (/ (?:Headless)?Chrom(?:e|ium)\/\d/.test(userAgent)) return 'chromium';
  if (/ Gecko\/.* Firefox\/\d/.test(userAgent)) return 'gecko';
  if (/ AppleWebKit\/.* Safari\/\d/.test(userAgent)) return 'webkit';
  return undefined;
}

const MAJOR: Record<Engine, RegExp> = {
  chromium: /Chrom(?:e|ium)\/(\d{1,9})/,
  gecko: /Firefox\/(\d{1,9})/,
  webkit: /Version\/(\d{1,9})/,
};

function majorOf(userAgent: string, engine: Engine): number {
  return Number(MAJOR[engine].exec(userAgent)?.[1] ?? 0);
}

function productOf(userAgent: string): Product {
  const plain = PLAIN_CHROMIUM.exec(userAgent);
  if (!plain) return 'other';
  if (plain[1] === undefined) return 'chrome';
  return plain[1] === 'OPR' ? 'opera' : 'edge';
}

const PLATFORMS: readonly (readonly [RegExp, Platform])[] = [
  [/iPhone|iPad|iPod/, 'ios'],
  [/Android/, 'android'],
  [/Windows/, 'windows'],
  [/CrOS/, 'chromeos'],
  [/Macintosh/, 'macos'],
  [/Linux|X11/, 'linux'],
];
