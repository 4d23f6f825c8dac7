interface Props<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [T, string])[];
  readonly chosen: T | undefined;
  readonly choose: (option: T) => void;
}

/** A few options side by side. At most one is selected. */
export function Choice<T extends string>({ label, options, chosen, choose }: Props<T>) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([option, words]) => (
        <button
          type="button"
          key={option}
          aria-pressed={option === chosen}
          onClick={() => choose(option)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/** The same choice as a drop-down list, for many options. */
export function Select<T extends string>({ label, options, chosen, choose }: Props<T>) {
  return (
    <label class="select">
      <span>{label}</span>
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget }) => {
          const option = options.find(([name]) => name === currentTarget.value);
          if (option !== undefined) choose(option[0]);
        }}
      >
        {chosen === undefined ? <option value="">custom</option> : null}
        {options.map(([option, words]) => (
          <option value={option} key={option}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly change: (checked: boolean) => void;
}

export function Checkbox({ label, checked, disabled = false, change }: CheckboxProps) {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />{' '}
      {label}
    </label>
  );
}
