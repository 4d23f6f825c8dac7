import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OTHER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';

const getter = (holder: string, name: string, value: string) =>
  `Object.defineProperty(${holder}.prototype, '${name}', { get: () => ${value}, configurable: true });`;

const PROXIED = `const over = (holder, name, apply) => {
  holder[name] = new Proxy(holder[name], { apply });
};`;

const noisyRects = (px: number) => `
for (const holder of [Element, Range]) {
  const native = holder.prototype.getBoundingClientRect;
  holder.prototype.getBoundingClientRect = function () {
    const { x, y, width, height } = native.call(this);
    const off = () => (Math.random() - 0.5) * ${2 * px};
    return new DOMRect(x + off(), y + off(), width + off(), height + off());
  };
}`;

/**
 * Content scripts of extensions. They run in the JavaScript world of the page itself, before the first script of the
 * page.
 */
const SCRIPTS = {
  'WebGL names another card': `for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
  const native = prototype.getParameter;
  prototype.getParameter = function (name) {
    return { 37445: 'Google Inc. (NVIDIA)', 37446: 'ANGLE (NVIDIA, GeForce GTX 1660)' }[name] ?? native.call(this, name);
  };
}`,
  'canvas noise': `const native = HTMLCanvasElement.prototype.toDataURL;
HTMLCanvasElement.prototype.toDataURL = function (...args) {
  const context = this.getContext('2d');
  if (context) { context.fillStyle = '#010203'; context.fillRect(0, 0, 1, 1); }
  return native.apply(this, args);
};`,
  'canvas and WebGL behind Proxies, hidden': `${PROXIED}
const hidden = new WeakMap();
over(HTMLCanvasElement.prototype, 'getContext', (f, self, args) => Reflect.apply(f, self, args));
over(WebGLRenderingContext.prototype, 'getParameter', (f, self, args) => args[0] === 37446 ? 'Intel Iris' : Reflect.apply(f, self, args));
over(Function.prototype, 'toString', (f, self, args) => Reflect.apply(f, hidden.get(self) ?? self, args));`,
  'rectangle noise of 0.3 px': noisyRects(0.3),
  'rectangle noise of 2 px': noisyRects(2),
  'another agent, in the page': getter('Navigator', 'userAgent', `'${OTHER_AGENT}'`),
  'another agent, in header and page': getter('Navigator', 'userAgent', `'${OTHER_AGENT}'`),
  'another platform': getter('Navigator', 'platform', `'Win32'`),
  'navigator.webdriver is false': getter('Navigator', 'webdriver', 'false'),
  'other languages and plug-ins':
    getter('Navigator', 'languages', `['de-DE', 'de', 'en']`) +
    getter('Navigator', 'plugins', `[]`),
  'other hardware':
    getter('Navigator', 'hardwareConcurrency', '2') + getter('Navigator', 'deviceMemory', '4'),
  'another screen': getter('Screen', 'width', '1600') + getter('Screen', 'height', '900'),
  'another time zone': `const native = Intl.DateTimeFormat.prototype.resolvedOptions;
Intl.DateTimeFormat.prototype.resolvedOptions = function () {
  return { ...native.call(this), timeZone: 'America/Denver' };
};
Date.prototype.getTimezoneOffset = () => 420;`,
  'no Worker': `delete window.Worker;`,
  'no SharedWorker': `delete window.SharedWorker;`,
  'frames removed': `new MutationObserver(() => document.querySelectorAll('iframe').forEach((frame) => frame.remove())).observe(document, { childList: true, subtree: true });`,
  'DOM changed': `addEventListener('DOMContentLoaded', () => {
  document.documentElement.setAttribute('data-theme-by', 'extension');
  document.body.append(Object.assign(document.createElement('div'), { textContent: 'offers', style: 'position:fixed;top:0;left:0' }));
  document.head.append(Object.assign(document.createElement('style'), { textContent: '* { font-family: Arial !important; transition: none !important }' }));
});`,
  'console silenced': `for (const name of Object.keys(console)) console[name] = () => undefined;`,
} as const satisfies Readonly<Record<string, string>>;

export type ExtensionName = keyof typeof SCRIPTS;
// The cast is needed, because the type of Object.keys is string[].
export const EXTENSIONS = Object.keys(SCRIPTS) as ExtensionName[];

const RULES = [
  {
    id: 1,
    action: {
      type: 'modifyHeaders',
      requestHeaders: [{ header: 'user-agent', operation: 'set', value: OTHER_AGENT }],
    },
    condition: { resourceTypes: ['main_frame', 'sub_frame', 'script', 'xmlhttprequest', 'other'] },
  },
];

/**
 * Writes the unpacked extension into a folder below `folder`. Returns the switches with which Chromium loads the
 * extension.
 */
export async function loadExtension(
  folder: string,
  name: ExtensionName,
): Promise<readonly string[]> {
  const home = join(folder, 'unpacked-extension');
  const inHeader = name === 'another agent, in header and page';
  const manifest = {
    manifest_version: 3,
    name,
    version: '1.0',
    content_scripts: [
      {
        matches: ['<all_urls>'],
        js: ['page.js'],
        run_at: 'document_start',
        world: 'MAIN',
        all_frames: true,
        match_about_blank: true,
      },
    ],
    ...(inHeader && {
      permissions: ['declarativeNetRequest'],
      host_permissions: ['<all_urls>'],
      declarative_net_request: {
        rule_resources: [{ id: 'agent', enabled: true, path: 'rules.json' }],
      },
    }),
  };
  await mkdir(home);
  await writeFile(join(home, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(home, 'page.js'), `{${SCRIPTS[name]}}`);
  await writeFile(join(home, 'rules.json'), JSON.stringify(RULES));
  return [`--load-extension=${home}`, '--disable-features=DisableLoadExtensionCommandLineSwitch'];
}
