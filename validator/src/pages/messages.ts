/** One screen of a page: a heading, and paragraphs below it. */
export interface ScreenText {
  readonly heading: string;
  readonly paragraphs: readonly string[];
}

/** Everything the pages say in one language. A language is one file in locales/. */
export interface Messages {
  /** BCP 47 tag, for the `lang` attribute; matched against Accept-Language by its first subtag. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly checking: ScreenText;
  /** Added to `checking` where the reload will send a form again. */
  readonly resubmission: string;
  readonly retry: ScreenText;
  readonly failed: ScreenText;
  readonly cookies: ScreenText;
  readonly noScript: ScreenText;
  readonly blocked: ScreenText;
  /** Heads the list of what a wrongly blocked person can do. */
  readonly adviceHeading: string;
  readonly advice: readonly string[];
  readonly rateLimited: ScreenText;
  readonly tryAgain: string;
  readonly reference: string;
}
