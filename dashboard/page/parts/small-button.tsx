import type { ComponentProps } from 'preact';

export function SmallButton(props: ComponentProps<'button'>) {
  return <button type="button" class="small" {...props} />;
}
