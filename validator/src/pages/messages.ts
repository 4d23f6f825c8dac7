/** One screen of a page: a heading, and a paragraph below it. */
export interface ScreenText {
  readonly heading: string;
  readonly text: string;
}

/** The screen of a visitor who does not get what was asked for. */
export type Notice = 'blocked' | 'rateLimited' | 'unreachable' | 'busy';

/** Everything the pages say in one language. A language is one file in locales/. */
export interface Messages {
  /** BCP 47 tag, for the `lang` attribute; choose-language.ts matches it with Accept-Language. */
  readonly language: string;
  /** `ltr` or `rtl`, for the `dir` attribute. */
  readonly direction: string;
  readonly checking: ScreenText;
  /** In the place of what `checking` says, while others of the same network come first. */
  readonly waiting: string;
  /** In its place while the page does work, because many of its network or browser pass. */
  readonly working: string;
  /** In its place while the page does work, because the browser contradicts itself. */
  readonly doubted: string;
  /** Added to `checking` where the reload will send a form again. */
  readonly resubmission: string;
  /** A form of the site is sent again, and the browser has asked, or is slow. */
  readonly resend: ScreenText;
  /** A form of another site is not sent again from here. */
  readonly elsewhere: ScreenText;
  readonly retry: ScreenText;
  readonly failed: ScreenText;
  readonly cookies: ScreenText;
  readonly noScript: ScreenText;
  readonly blocked: ScreenText;
  /** Heads the list of what a wrongly blocked person can do. */
  readonly adviceHeading: string;
  readonly advice: readonly string[];
  readonly rateLimited: ScreenText;
  /** The origin of the site gave no answer. */
  readonly unreachable: ScreenText;
  /** The site, or Guard itself, has more under way than it takes. */
  readonly busy: ScreenText;
  readonly tryAgain: string;
  readonly send: string;
  readonly goBack: string;
  readonly reference: string;
  readonly support: string;
}
