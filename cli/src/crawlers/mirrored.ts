/** Where a mirror has what is published at a URL: `--source-base` of the commands that fetch. */
export function mirrored(url: string, base: string): string {
  const { host, pathname, search } = new URL(url);
  return `${base.replace(/\/$/, '')}/${host}${pathname}${search}`;
}
