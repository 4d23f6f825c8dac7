export function loadPage(): {
  readonly html: string;
  readonly assets: ReadonlyMap<string, { readonly type: string; readonly body: string }>;
} {
  return { html: '<!doctype html><title>Guard</title>', assets: new Map() };
}
