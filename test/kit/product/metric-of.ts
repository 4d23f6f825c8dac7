import { send } from '../http.ts';

/** The value of one series on the metrics page of a product. 0 while the page does not have the series. */
export async function metricOf(
  { addresses }: { readonly addresses: { readonly admin: string } },
  name: string,
): Promise<number> {
  const { body } = await send(`${addresses.admin}/metrics`);
  const line = body.split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
