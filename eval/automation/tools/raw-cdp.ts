import { chromiumMajor, plainUserAgent } from '../chromium-setup.ts';
import { type Ask, openSocket } from '../protocol.ts';
import { waitForEnding } from '../wait-for-ending.ts';
import { startChromium } from '../started-browser.ts';
import type { Tool, Visit } from '../tool.ts';

interface RawSetup {
  readonly switches?: readonly string[];
  /** Sends commands to the page before its navigation. */
  readonly first?: (ask: Ask) => Promise<void>;
}

/**
 * Makes a visit over the DevTools protocol without a driver, as nodriver and similar tools do. The title is read from
 * the target.
 */
function rawVisit({ switches = [], first }: RawSetup): Visit {
  return async (url, resources) => {
    const chromium = await startChromium(resources, ...switches);
    try {
      const client = await openSocket(chromium.endpoint);
      const { targetId } = (await client.ask('Target.createTarget', { url: 'about:blank' })) as {
        targetId: string;
      };
      const { sessionId } = (await client.ask('Target.attachToTarget', {
        targetId,
        flatten: true,
      })) as { sessionId: string };
      const ask: Ask = (method, params) => client.ask(method, params, sessionId);
      await first?.(ask);
      await ask('Page.navigate', { url });
      return await waitForEnding(async () => {
        const { targetInfo } = (await client.ask('Target.getTargetInfo', { targetId })) as {
          targetInfo: { title: string };
        };
        return targetInfo.title;
      });
    } finally {
      await chromium.close();
    }
  };
}

const HEADLESS = ['--headless=new', '--screen-info={1920x1080}', '--window-size=1366,768'];

/** Makes the browser claim to be a Chromium with a window, in the User-Agent and in the client hints. */
async function nameAsWindowed(ask: Ask, major = chromiumMajor()): Promise<void> {
  const brandsOf = (version: string, noise: string) => [
    { brand: 'Chromium', version },
    { brand: 'Not_A Brand', version: noise },
  ];
  await ask('Emulation.setUserAgentOverride', {
    userAgent: plainUserAgent().replace(chromiumMajor(), major),
    userAgentMetadata: {
      brands: brandsOf(major, '24'),
      fullVersionList: brandsOf(`${major}.0.0.0`, '24.0.0.0'),
      platform: 'Linux',
      platformVersion: '',
      architecture: 'x86',
      bitness: '64',
      model: '',
      mobile: false,
    },
  });
}

/** Sets a mouse that can hover, as playwright does for headless browsers. */
const A_MOUSE =
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4';

const SETUPS: Readonly<Record<string, RawSetup>> = {
  "headful, a person's command line": {},
  'headful, the same with Runtime.enable': {
    async first(ask) {
      await ask('Runtime.enable');
    },
  },
  'headful, names itself as an older version': {
    first: (ask) => nameAsWindowed(ask, String(Number(chromiumMajor()) - 3)),
  },
  'headless with a screen, names itself as with a window': {
    switches: HEADLESS,
    first: (ask) => nameAsWindowed(ask),
  },
  'headless with a screen, an agent on the command line, names itself too': {
    switches: [...HEADLESS, `--user-agent=${plainUserAgent()}`],
    first: (ask) => nameAsWindowed(ask),
  },
  'headless with a screen and a mouse, an agent on the command line, names itself too': {
    switches: [...HEADLESS, A_MOUSE, `--user-agent=${plainUserAgent()}`],
    first: (ask) => nameAsWindowed(ask),
  },
};

export const rawCdpTools: readonly Tool[] = Object.entries(SETUPS).map(([variant, setup]) => ({
  name: 'DevTools protocol, no driver',
  variant,
  goal: 'stopped ≥ 90 %',
  needs: { packages: [], programs: ['chromium', 'Xvfb'] },
  visit: rawVisit(setup),
}));
