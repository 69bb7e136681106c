import type { ComponentChildren, Ref } from 'preact'

export type Column<Row> = {
  head?: ComponentChildren
  /** The heading is for screen readers only. */
  isHeadHidden?: boolean
  headTitle?: string
  /** Classes of the heading and the cells: `num`, and at which widths the column goes. */
  class?: string
  cellClass?: string | ((row: Row) => string)
  cellTitle?(row: Row): string | undefined
  cell(row: Row): ComponentChildren
}

/** Attributes of a row, such as the `data-` by which keys and tests find it. */
type RowAttributes = {
  class?: string | undefined
  tabIndex?: number
  'aria-selected'?: boolean
  'data-node'?: string
  'data-arrival'?: number
  'data-delivery'?: string
}

type TableProps<Row> = {
  class?: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string | number
  rowOf?(row: Row): RowAttributes
  /** Opens a row by a press beside its links and buttons. */
  onOpen?(row: Row): void
  tableRef?: Ref<HTMLTableElement>
}

export function DataTable<Row>(props: TableProps<Row>) {
  const { columns, rows, keyOf, rowOf, onOpen } = props
  return (
    <table class={props.class} ref={props.tableRef ?? null}>
      <TableHead columns={columns} />
      <tbody>
        {rows.map((row) => (
          <TableRow
            key={keyOf(row)}
            columns={columns}
            row={row}
            attributes={rowOf?.(row)}
            onOpen={onOpen}
          />
        ))}
      </tbody>
    </table>
  )
}

export function TableHead<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  const shown = columns.filter(({ head }) => head !== undefined)
  return (
    <thead>
      <tr>
        {shown.map(({ head, isHeadHidden, headTitle, class: classes }, at) => (
          <th key={at} scope="col" class={classes} title={headTitle}>
            {isHeadHidden ? <span class="vh">{head}</span> : head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

export function TableRow<Row>(props: {
  columns: readonly Column<Row>[]
  row: Row
  attributes?: RowAttributes | undefined
  onOpen?: ((row: Row) => void) | undefined
}) {
  const { columns, row, attributes, onOpen } = props
  const open = (event: MouseEvent) => isBeside(event) && onOpen?.(row)
  const classes = classesOf(onOpen ? 'go' : '', attributes?.class)
  return (
    <tr {...attributes} class={classes} {...(onOpen && { onClick: open })}>
      {columns.map((column, at) => (
        <td key={at} class={cellClasses(column, row)} title={column.cellTitle?.(row)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

export function cellClasses<Row>({ class: own, cellClass }: Column<Row>, row: Row) {
  return classesOf(own, typeof cellClass === 'function' ? cellClass(row) : cellClass)
}

function classesOf(...classes: readonly (string | undefined)[]): string | undefined {
  return classes.filter(Boolean).join(' ') || undefined
}

/** True for a press on the row itself, not on a button, a link or a menu in it. */
function isBeside(event: MouseEvent): boolean {
  return (event.target as Element).closest('a, button, [popover]') === null
}
