import { useEffect, useRef } from 'preact/hooks'
import { TableHead, TableRow } from '../../../parts/data-table.tsx'
import { OVERSCAN, useRowWindow } from '../../../parts/lists/use-row-window.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { LOG_COLUMNS, ROW_HEIGHT } from './log-columns.tsx'
import { useLogKeys } from './use-log-keys.ts'

type TableProps = {
  log: DeliveryLog
  openId: string | null
  onOpen(id: string, how?: { isStep: boolean }): void
  onScrolled(isScrolled: boolean): void
}

/** Outlines below the last row that is known, while older ones are on their way. */
const OUTLINES = OVERSCAN

export function DeliveryTable({ log, openId, onOpen, onScrolled }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const state = log.state()
  const total = state.count + (state.isWhole || state.isPausing ? 0 : OUTLINES)
  const { from, to, isScrolled } = useRowWindow(body, total, ROW_HEIGHT)
  useEffect(() => log.look(to), [log, to])
  useEffect(() => onScrolled(isScrolled), [isScrolled, onScrolled])
  const { tabStop, onKeyDown } = useLogKeys({ log, body, openId, onOpen })
  const rows = Array.from({ length: to - from }, (_, at) => log.rowAt(from + at))
  const stop = rows.some((row) => row?.id === tabStop) ? tabStop : rows.find(Boolean)?.id
  return (
    <div class="tw">
      <table class="dl log">
        <TableHead columns={LOG_COLUMNS} />
        <tbody ref={body} class="windowed" onKeyDown={onKeyDown}>
          {from > 0 && <RowSpacer height={from * ROW_HEIGHT} />}
          {rows.map((row, at) =>
            row ? (
              <TableRow
                key={row.id}
                columns={LOG_COLUMNS}
                row={row}
                attributes={{
                  class: `${state.arrived.has(row.id) ? 'new' : ''} ${row.superseded ? 'sup' : ''}`,
                  'data-delivery': row.id,
                  'aria-selected': row.id === openId,
                  tabIndex: row.id === stop ? 0 : -1,
                }}
                onOpen={({ id }) => onOpen(id)}
              />
            ) : (
              <tr key={from + at}>
                <td colSpan={LOG_COLUMNS.length}>
                  <span class="sk b" />
                </td>
              </tr>
            ),
          )}
          {to < total && <RowSpacer height={(total - to) * ROW_HEIGHT} />}
        </tbody>
      </table>
    </div>
  )
}

function RowSpacer({ height }: { height: number }) {
  return (
    <tr class="spacer">
      <td colSpan={LOG_COLUMNS.length} style={{ height: `${height}px`, padding: 0, border: 0 }} />
    </tr>
  )
}
