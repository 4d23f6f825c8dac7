/** One screen of a page: a heading, and a paragraph below it. */
export interface ScreenText {
  readonly heading: string;
  readonly text: string;
}

/** The kinds of pages for visitors whose request is denied, or gets no answer from the origin. */
export type Notice = 'blocked' | 'rateLimited' | 'unreachable' | 'busy';

/** All texts of the pages in one language. Each language is one file in locales/. */
export interface Messages {
  /** BCP 47 tag, for the `lang` attribute; choose-language.ts matches it with Accept-Language. */
  readonly language: string;
  /** `ltr` or `rtl`, for the `dir` attribute. */
  readonly direction: string;
  readonly checking: ScreenText;
  /** Replaces the text of `checking` while the page waits, because there were too many checks from its network. */
  readonly waiting: string;
  /** Replaces the text of `checking` during work, when the reason is many passes from the same network or browser. */
  readonly working: string;
  /** Replaces the text of `checking` during work, when the reason is contradictory evidence of the browser. */
  readonly doubted: string;
  /** An additional text on `checking` when the reload will send a form again. */
  readonly resubmission: string;
  /** The screen after the check, when the reload shows no page soon: the site is slow, or it answered with a file. */
  readonly opening: ScreenText;
  /** The screen while a form of the site is sent again, when the browser asks first or is slow. */
  readonly resend: ScreenText;
  /** The screen for a form from another site, which is not sent again. */
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
  /** The page when the origin of the site gives no answer. */
  readonly unreachable: ScreenText;
  /** The page when the site or Guard is overloaded. */
  readonly busy: ScreenText;
  readonly tryAgain: string;
  readonly send: string;
  readonly goBack: string;
  readonly reference: string;
  readonly support: string;
}
