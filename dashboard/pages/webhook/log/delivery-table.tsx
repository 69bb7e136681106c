import { useEffect, useRef, useState } from 'preact/hooks'
import { RowSpacer } from '../../../parts/lists/row-spacer.tsx'
import { OVERSCAN, useRowWindow } from '../../../parts/lists/use-row-window.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { DeliveryRow, LOG_COLUMNS, ROW_HEIGHT, RowOutline } from './delivery-row.tsx'
import { useLogKeys } from './use-log-keys.ts'

type TableProps = {
  log: DeliveryLog
  openId: string | null
  onOpen(id: string, how?: { isStep: boolean }): void
  onScrolled(isScrolled: boolean): void
}

/** Outlines below the last row that is known, while older ones are on their way. */
const OUTLINES = OVERSCAN

/** The top bar of the page covers so much. */
const COVERED_PX = 52

export function DeliveryTable({ log, openId, onOpen, onScrolled }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const state = log.state()
  const total = state.count + (state.isWhole || state.isPausing ? 0 : OUTLINES)
  const { from, to } = useRowWindow(body, total, ROW_HEIGHT)
  useEffect(() => log.look(from, to), [log, from, to])
  useScrolled(body, onScrolled)
  const { tabStop, onKeyDown } = useLogKeys({ log, body, openId, onOpen })
  const rows = Array.from({ length: to - from }, (_, at) => log.rowAt(from + at))
  const stop = rows.some((row) => row?.id === tabStop) ? tabStop : rows.find(Boolean)?.id
  return (
    <div class="tw">
      <table class="dl log">
        <LogHead />
        <tbody ref={body} class="windowed" onKeyDown={onKeyDown}>
          {from > 0 && <RowSpacer height={from * ROW_HEIGHT} columns={LOG_COLUMNS} />}
          {rows.map((row, at) =>
            row ? (
              <DeliveryRow
                key={row.id}
                delivery={row}
                isOpen={row.id === openId}
                isTabStop={row.id === stop}
                isNew={state.arrived.has(row.id)}
                onOpen={onOpen}
              />
            ) : (
              <RowOutline key={from + at} />
            ),
          )}
          {to < total && <RowSpacer height={(total - to) * ROW_HEIGHT} columns={LOG_COLUMNS} />}
        </tbody>
      </table>
    </div>
  )
}

function LogHead() {
  return (
    <thead>
      <tr>
        <th scope="col" class="l-status">
          Status
        </th>
        <th scope="col">Block</th>
        <th scope="col" class="c-narrow c-y l-seq">
          Sequence
        </th>
        <th scope="col" class="c-x l-hash">
          Hash
        </th>
        <th scope="col" class="num c-narrow c-y l-bytes">
          Bytes
        </th>
        <th scope="col" class="c-narrow l-tries">
          Tries
        </th>
        <th scope="col" class="num c-x l-answer">
          Answer
        </th>
        <th scope="col" class="num l-age">
          Age
        </th>
      </tr>
    </thead>
  )
}

/** Tells when the first row leaves the view, and when it is back. */
function useScrolled(
  body: { current: Element | null },
  onScrolled: (isScrolled: boolean) => void,
): void {
  const [isScrolled, setScrolled] = useState(false)
  useEffect(() => {
    const look = () => {
      const top = body.current?.getBoundingClientRect().top ?? COVERED_PX
      setScrolled(top < COVERED_PX - ROW_HEIGHT / 2)
    }
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [body])
  useEffect(() => onScrolled(isScrolled), [isScrolled, onScrolled])
}
