/** Stands for the rows of a table above or below those that are drawn. */
export function RowSpacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${height}px`, padding: 0, border: 0 }} />
    </tr>
  )
}
