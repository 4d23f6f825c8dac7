/** One screen of a page: a heading, and a paragraph below it. */
export interface ScreenText {
  readonly heading: string;
  readonly text: string;
}

/** The kind of page for a visitor whose request is denied or not answered. */
export type Notice = 'blocked' | 'rateLimited' | 'unreachable' | 'busy';

/** All texts of the pages in one language. Each language is one file in locales/. */
export interface Messages {
  /** BCP 47 tag, for the `lang` attribute; choose-language.ts matches it with Accept-Language. */
  readonly language: string;
  /** `ltr` or `rtl`, for the `dir` attribute. */
  readonly direction: string;
  readonly checking: ScreenText;
  /** Replaces the text of `checking` while the page waits, because other visitors of the same network come first. */
  readonly waiting: string;
  /** Replaces the text of `checking` during work, when the reason is many passes from the same network or browser. */
  readonly working: string;
  /** Replaces the text of `checking` during work, when the reason is contradictory evidence of the browser. */
  readonly doubted: string;
  /** Added to `checking` when the reload will send a form again. */
  readonly resubmission: string;
  /** Shown when a form of the site is sent again, and the browser asks first or is slow. */
  readonly resend: ScreenText;
  /** Shown when the form came from another site, because it is not sent again. */
  readonly elsewhere: ScreenText;
  readonly retry: ScreenText;
  readonly failed: ScreenText;
  readonly cookies: ScreenText;
  readonly noScript: ScreenText;
  readonly blocked: ScreenText;
  /** The heading of the list of advice for a person who was blocked by mistake. */
  readonly adviceHeading: string;
  readonly advice: readonly string[];
  readonly rateLimited: ScreenText;
  /** The origin of the site gave no answer. */
  readonly unreachable: ScreenText;
  /** The site or Guard is overloaded. */
  readonly busy: ScreenText;
  readonly tryAgain: string;
  readonly send: string;
  readonly goBack: string;
  readonly reference: string;
  readonly support: string;
}
