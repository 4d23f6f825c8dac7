/** What a User-Agent claims to be, as far as the judges need it. */
export interface Claim {
  readonly engine: 'chromium' | 'firefox' | 'webkit' | 'other';
  /** Major version of the engine's product token; 0 when there is none. */
  readonly major: number;
  readonly system: 'windows' | 'mac' | 'ios' | 'android' | 'chromeos' | 'linux' | 'other';
}

/** Reads a User-Agent. Browsers on iOS are WebKit whatever they are called. */
export function readClaim(userAgent: string): Claim {
  return { ...engineOf(userAgent), system: systemOf(userAgent) };
}

function engineOf(userAgent: string): Pick<Claim, 'engine' | 'major'> {
  if (/\b(?:CriOS|FxiOS|EdgiOS|OPiOS)\//.test(userAgent)) return { engine: 'webkit', major: 0 };
  const chromium = /\b(?:Headless)?Chrom(?:e|ium)\/(\d{1,4})/.exec(userAgent);
  if (chromium) return { engine: 'chromium', major: Number(chromium[1]) };
  const firefox = /\bFirefox\/(\d{1,4})/.exec(userAgent);
  if (firefox) return { engine: 'firefox', major: Number(firefox[1]) };
  const safari = /\bVersion\/(\d{1,4})[^ ]* (?:Mobile\/\w+ )?Safari\//.exec(userAgent);
  if (safari) return { engine: 'webkit', major: Number(safari[1]) };
  return { engine: 'other', major: 0 };
}

function systemOf(userAgent: string): Claim['system'] {
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return 'ios';
  if (userAgent.includes('Android')) return 'android';
  if (userAgent.includes('Windows')) return 'windows';
  if (userAgent.includes('Mac OS X')) return 'mac';
  if (/\bCrOS\b/.test(userAgent)) return 'chromeos';
  if (userAgent.includes('Linux')) return 'linux';
  return 'other';
}
