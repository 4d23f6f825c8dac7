import { type InnerList, type Item, parseDictionary, parseItemField } from './structured-field.ts';

/**
 * The origin that publishes the signer's keys. The covered Signature-Agent field names it: either as a string, or as a
 * dictionary of strings. The signature covers the whole dictionary, or only one of its keys. Undefined when the field
 * names no origin, or several origins.
 */
export function directoryOf(components: InnerList, field: string | undefined): string | undefined {
  const component = components.items.find(({ value }) => value.value === 'signature-agent');
  if (field === undefined || component === undefined) return undefined;
  const item = memberFor(component, field);
  return item?.value.kind === 'string' ? URL.parse(item.value.value)?.origin : undefined;
}

function memberFor(component: Item, field: string): Item | undefined {
  const key = component.parameters.get('key');
  const single = key === undefined ? parseItemField(field) : undefined;
  if (single !== undefined) return single;
  const members = parseDictionary(field);
  if (members === undefined || (key === undefined && members.size > 1)) return undefined;
  const [firstMember] = members.values();
  const member = key?.kind === 'string' ? members.get(key.value) : firstMember;
  return member?.kind === 'item' ? member : undefined;
}
