import type { Colour, Colours } from './colours.ts'
import { columnsOf, cutText, harmlessLine } from './harmless-text.ts'

/** Text of a cell, with a colour where it has one. Numbers of many digits come as text. */
export type Cell = string | number | null | undefined | { text: string; colour: Colour }

export type Column<Row> = {
  title: string
  of(row: Row): Cell
  align?: 'right'
  /** Its least width, for lines that come one by one. */
  width?: number
  mayCut?: boolean
  /** It is left out when the terminal is too narrow. */
  isExtra?: boolean
}

type Layout = { colours: Colours; columnsMax: number }

type DrawnCell = { text: string; colour?: Colour }

type Drawn = { column: Column<never>; cells: DrawnCell[]; width: number }

const GAP = '  '

/** A column is not cut to less than this: what is left would say nothing. */
const CUT_WIDTH_MIN = 8

/** Before a column is cut to less than this, extra ones make way. */
const CUT_WIDTH_EASY = 20

const NOTHING = '–'

export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { colours, columnsMax }: Layout,
): string[] {
  const drawn = columns.map((column): Drawn => {
    const title: DrawnCell = { text: column.title, colour: 'dim' }
    const cells = [title, ...rows.map((row) => cellOf(column.of(row)))]
    const widest = (width: number, { text }: DrawnCell) => Math.max(width, columnsOf(text))
    return { column, cells, width: cells.reduce(widest, column.width ?? 0) }
  })
  fit(drawn, columnsMax)
  return ['', ...rows].map((_, row) => {
    const cells = drawn.map((one) => drawnCell(one, row, colours))
    return cells.join(GAP).trimEnd()
  })
}

/** The words that are marked as true. */
export function marksCell(marks: Readonly<Record<string, boolean>>): Cell {
  const words = Object.keys(marks).filter((word) => marks[word])
  return words.length === 0 ? null : { text: words.join(', '), colour: 'yellow' }
}

function cellOf(cell: Cell): DrawnCell {
  if (cell === null || cell === undefined || cell === '') return { text: NOTHING, colour: 'dim' }
  if (typeof cell !== 'object') return { text: harmlessLine(String(cell)) }
  return { text: harmlessLine(cell.text), colour: cell.colour }
}

/** Extra columns go, the last first; then the widest of those that may be cut gives way. */
function fit(drawn: Drawn[], columnsMax: number): void {
  while (widthOf(drawn.map((one) => narrowest(one, CUT_WIDTH_EASY))) > columnsMax) {
    const extra = drawn.findLastIndex(({ column }) => column.isExtra)
    if (extra < 0) break
    drawn.splice(extra, 1)
  }
  let excess = widthOf(drawn.map(({ width }) => width)) - columnsMax
  for (; excess > 0; excess--) {
    const cuttable = drawn.filter((one) => one.width > narrowest(one, CUT_WIDTH_MIN))
    const [widest] = cuttable.toSorted((a, b) => b.width - a.width)
    if (!widest) return
    widest.width--
  }
}

function narrowest({ width, column }: Drawn, cutWidth: number): number {
  return column.mayCut ? Math.min(width, Math.max(cutWidth, columnsOf(column.title))) : width
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * Math.max(0, widths.length - 1))
}

function drawnCell({ column, cells, width }: Drawn, row: number, colours: Colours): string {
  const { text, colour } = cells[row] ?? { text: NOTHING }
  const fitting = column.mayCut ? cutText(text, width) : text
  const padding = ' '.repeat(Math.max(0, width - columnsOf(fitting)))
  const painted = colour ? colours[colour](fitting) : fitting
  return column.align === 'right' ? padding + painted : painted + padding
}
