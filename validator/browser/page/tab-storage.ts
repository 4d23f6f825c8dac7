/** sessionStorage, which throws in many browsers where cookies are off. */

/** True when this tab can remember something. */
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
    // Nothing is remembered: storageWorks() has decided already what that means.
  }
}

export function forget(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // As above.
  }
}
