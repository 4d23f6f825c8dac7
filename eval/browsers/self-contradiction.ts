/**
 * Returns the reason why a generated header set cannot come from a browser, or undefined. The generator learned from
 * recorded traffic, and this traffic contains bots. Such header sets have their own row in the table and are not
 * counted as browsers.
 */
export function contradictionOf(headers: Readonly<Record<string, string>>): string | undefined {
  const agent = headers['user-agent'] ?? '';
  const brands = headers['sec-ch-ua'];
  if (brands?.includes('Headless')) return 'its brands name HeadlessChrome';
  if (/(?:iPhone|iPad).* Chrome\//.test(agent)) return 'Blink on an iPhone';
  if (agent.includes('(KHTML, like Gecko; compatible;')) return 'the agent of an archiver';
  const chromium = / Chrome\/(\d+)/.exec(agent)?.[1];
  const hinted =
    brands !== undefined ||
    headers['sec-ch-ua-mobile'] !== undefined ||
    headers['sec-ch-ua-platform'] !== undefined;
  if (hinted && chromium === undefined) return 'client hints of a browser that has none';
  const major = /"Chromium";v="(\d+)"/.exec(brands ?? '')?.[1];
  if (major !== undefined && major !== chromium) return 'hints of another version';
  return undefined;
}
