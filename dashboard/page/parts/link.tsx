import type { ComponentChildren } from 'preact';
import { useNavigation } from '../navigation.tsx';
import { formatUrl, type UrlState } from '../url-state.ts';

interface Props {
  readonly to: Partial<UrlState>;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}

/** A link to another state of the page. It can be opened in a new tab. */
export function Link({ to, current, children, ...rest }: Props) {
  const { state, go } = useNavigation();
  const href = formatUrl({ ...state, ...to });
  return (
    <a
      href={href === '' ? '/' : href}
      {...(rest.class === undefined ? {} : { class: rest.class })}
      {...(current === true ? { 'aria-current': 'page' as const } : {})}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
