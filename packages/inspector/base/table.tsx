import type { ComponentChildren } from 'preact';

type TableProps<Row> = {
  rows: Row[];
  keyOf: (row: Row) => string;
  /** The name of each column, and its cell in a row. The first column names the row. */
  columns: [name: string, cell: (row: Row) => ComponentChildren][];
};

export function Table<Row>({ rows, keyOf, columns }: TableProps<Row>) {
  return (
    <table>
      <thead>
        <tr>
          {columns.map(([name]) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(([name, cell], at) =>
              at === 0 ? (
                <th key={name} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={name}>{cell(row)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
