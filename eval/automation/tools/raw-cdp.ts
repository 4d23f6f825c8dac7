import { chromiumMajor, plainUserAgent } from '../chromium-setup.ts';
import { type Ask, openSocket } from '../protocol.ts';
import { settled } from '../settled.ts';
import { startChromium } from '../started-browser.ts';
import type { Tool, Visit } from '../tool.ts';

interface RawSetup {
  readonly switches?: readonly string[];
  /** Asked of the page before it goes anywhere. */
  readonly first?: (ask: Ask) => Promise<void>;
}

/** The DevTools protocol without a driver, as nodriver and the like speak it. The title is the target's. */
function rawVisit({ switches = [], first }: RawSetup): Visit {
  return async (url, place) => {
    const chromium = await startChromium(place, ...switches);
    try {
      const line = await openSocket(chromium.endpoint);
      const { targetId } = (await line.ask('Target.createTarget', { url: 'about:blank' })) as {
        targetId: string;
      };
      const { sessionId } = (await line.ask('Target.attachToTarget', {
        targetId,
        flatten: true,
      })) as { sessionId: string };
      const ask: Ask = (method, params) => line.ask(method, params, sessionId);
      await first?.(ask);
      await ask('Page.navigate', { url });
      return await settled(async () => {
        const { targetInfo } = (await line.ask('Target.getTargetInfo', { targetId })) as {
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

/** Names the page's browser as a Chromium with a window, in the agent and in the client hints. */
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

/** What playwright gives its headless browsers: a mouse that hovers. */
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
