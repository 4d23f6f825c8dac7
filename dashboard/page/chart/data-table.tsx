import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { SmallButton } from '../parts/small-button.tsx';

interface Props {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The index of the first column with numbers. */
  readonly numbersFrom?: number;
}

/** A table that has its own scroll bar on a narrow screen. */
export function DataTable({ caption, head, rows, numbersFrom = head.length }: Props) {
  const classOf = (at: number) => (at >= numbersFrom ? 'number' : '');
  return (
    <div class="table" tabIndex={0} role="region" aria-label={`Table: ${caption}`}>
      <table>
        <caption class="only-heard">{caption}</caption>
        <thead>
          <tr>
            {head.map((name, at) => (
              <th scope="col" key={name} class={classOf(at)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) =>
                at === 0 ? (
                  <th scope="row" key={at}>
                    {cell}
                  </th>
                ) : (
                  <td key={at} class={classOf(at)}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A chart with a switch that shows the same data as a table. */
export function OrTable({
  chart,
  table,
}: {
  readonly chart: ComponentChildren;
  readonly table: () => ComponentChildren;
}) {
  const [asTable, setAsTable] = useState(false);
  return (
    <>
      {asTable ? table() : chart}
      <SmallButton aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
        Show as table
      </SmallButton>
    </>
  );
}
