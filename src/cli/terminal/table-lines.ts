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
  /** Where it is cut when the terminal is too narrow; a cell is not cut where nothing is said. */
  cut?: 'end' | 'middle'
  /** It is left out when the terminal is too narrow. */
  isExtra?: boolean
}

type Layout = { colours: Colours; columnsMax: number }

type Drawn = { title: string; align: 'left' | 'right'; width: number; cut: 'end' | 'middle' | null }

const GAP = '  '

/** A column is not cut to less than this: what is left would say nothing. */
const CUT_WIDTH_MIN = 8

/** Before a column is cut to less than this, extra ones make way. */
const CUT_WIDTH_EASY = 20

const NOTHING = '–'

/** The lines of a table, titles first, that fits the terminal as far as its columns allow. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { colours, columnsMax }: Layout,
): string[] {
  const cells = columns.map((column) => rows.map((row) => cellOf(column.of(row))))
  const wanted = columns.map((column, at) => drawnOf(column, cells[at] ?? []))
  const shown = fittingColumns(columns, wanted, columnsMax)
  const drawn = narrowed(
    shown.map((at) => wanted[at] as Drawn),
    columnsMax,
  )
  const line = (texts: readonly { text: string; colour?: Colour }[]) =>
    texts
      .map(({ text, colour }, at) => drawnCell(text, colour, drawn[at] as Drawn, colours))
      .join(GAP)
      .trimEnd()
  const titles = drawn.map(({ title }): { text: string; colour: Colour } => {
    return { text: title, colour: 'dim' }
  })
  const body = rows.map((_, row) => line(shown.map((at) => cells[at]?.[row] ?? { text: NOTHING })))
  return [line(titles), ...body]
}

/** The words that are marked as true. */
export function marksCell(marks: Readonly<Record<string, boolean>>): Cell {
  const words = Object.keys(marks).filter((word) => marks[word])
  return words.length === 0 ? null : { text: words.join(', '), colour: 'yellow' }
}

function cellOf(cell: Cell): { text: string; colour?: Colour } {
  if (cell === null || cell === undefined || cell === '') return { text: NOTHING, colour: 'dim' }
  if (typeof cell !== 'object') return { text: harmlessLine(String(cell)) }
  return { text: harmlessLine(cell.text), colour: cell.colour }
}

function drawnOf<Row>(column: Column<Row>, cells: readonly { text: string }[]): Drawn {
  const widths = cells.map(({ text }) => columnsOf(text))
  const least = Math.max(columnsOf(column.title), column.width ?? 0)
  const width = widths.reduce((widest, one) => Math.max(widest, one), least)
  return { title: column.title, align: column.align ?? 'left', width, cut: column.cut ?? null }
}

/** The positions of the columns that are shown: extra ones go, the last first, until it fits. */
function fittingColumns<Row>(
  columns: readonly Column<Row>[],
  drawn: readonly Drawn[],
  columnsMax: number,
): number[] {
  let shown = columns.map((_, at) => at)
  const needed = () => widthOf(shown.map((at) => narrowest(drawn[at] as Drawn, CUT_WIDTH_EASY)))
  while (needed() > columnsMax) {
    const extra = shown.findLast((at) => columns[at]?.isExtra)
    if (extra === undefined) break
    shown = shown.filter((at) => at !== extra)
  }
  return shown
}

/** The widest of the columns that may be cut gives way first. */
function narrowed(columns: readonly Drawn[], columnsMax: number): Drawn[] {
  const drawn = columns.map((column) => ({ ...column }))
  let excess = widthOf(drawn.map(({ width }) => width)) - columnsMax
  while (excess > 0) {
    const cuttable = drawn.filter((column) => column.width > narrowest(column))
    const [first, ...others] = cuttable.toSorted((a, b) => b.width - a.width)
    if (!first) break
    const next = Math.max(others[0]?.width ?? 0, narrowest(first))
    const by = Math.min(excess, Math.max(1, first.width - next))
    first.width -= by
    excess -= by
  }
  return drawn
}

function narrowest({ width, cut, title }: Drawn, cutWidth = CUT_WIDTH_MIN): number {
  return cut === null ? width : Math.min(width, Math.max(cutWidth, columnsOf(title)))
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * Math.max(0, widths.length - 1))
}

function drawnCell(
  text: string,
  colour: Colour | undefined,
  { align, width, cut }: Drawn,
  colours: Colours,
): string {
  const fitting = cut === null ? text : cutText(text, width, cut)
  const padding = ' '.repeat(Math.max(0, width - columnsOf(fitting)))
  const painted = colour ? colours[colour](fitting) : fitting
  return align === 'right' ? padding + painted : painted + padding
}
