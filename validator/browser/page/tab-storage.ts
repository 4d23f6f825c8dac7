/** Wraps sessionStorage, which throws exceptions in many browsers when cookies are off. */

/** True when this tab can store something. */
export function storageWorks(): boolean {
  try {
    sessionStorage.setItem('_guard_probe', '1');
    sessionStorage.removeItem('_guard_probe');
    return true;
  } catch {
    return false;
  }
}

export function recall(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

export function remember(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // The value is not stored. The page has already called storageWorks() to handle this case.
  }
}

export function forget(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}
