/** Types for npm packages that have no types. They cover only what the automation tools of this folder use. */

declare module 'selenium-webdriver' {
  export interface WebDriver {
    get(url: string): Promise<void>;
    getTitle(): Promise<string>;
    quit(): Promise<void>;
    sendDevToolsCommand(command: string, parameters: object): Promise<void>;
  }
  export class Builder {
    forBrowser(name: string): this;
    setChromeOptions(options: unknown): this;
    setChromeService(service: unknown): this;
    setFirefoxOptions(options: unknown): this;
    build(): Promise<WebDriver>;
  }
}

declare module 'selenium-webdriver/chrome.js' {
  export class Options {
    addArguments(...flags: string[]): this;
    debuggerAddress(address: string): this;
    excludeSwitches(...names: string[]): this;
    setChromeBinaryPath(path: string): this;
  }
  export class ServiceBuilder {
    constructor(path: string);
    setEnvironment(env: Readonly<Record<string, string>>): this;
  }
}

declare module 'selenium-webdriver/firefox.js' {
  export class Options {
    addArguments(...flags: string[]): this;
    setBinary(path: string): this;
  }
}

declare module 'jsdom' {
  export class CookieJar {
    setCookie(cookie: string, url: string): Promise<unknown>;
    getCookieString(url: string): Promise<string>;
  }
  export class VirtualConsole {
    removeAllListeners(): this;
  }
  export class JSDOM {
    constructor(
      html: string,
      options: {
        url?: string;
        runScripts: 'dangerously';
        pretendToBeVisual?: boolean;
        cookieJar?: CookieJar;
        resources?: { userAgent: string };
        virtualConsole?: VirtualConsole;
        beforeParse?: (window: {
          fetch: unknown;
          readonly HTMLDivElement: { readonly prototype: object };
          getComputedStyle(box: object): { readonly width: string; readonly height: string };
        }) => void;
      },
    );
    readonly window: { readonly document: { readonly title: string }; close(): void };
  }
}
