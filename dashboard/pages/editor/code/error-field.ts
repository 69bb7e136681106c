import { type EditorState, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { element } from '../../../parts/element.ts'
import { type QueryProblem, suggestedNames } from '../query/query-problem.ts'

type Placed = { from: number; to: number; problem: QueryProblem }

const SHOW_ERRORS = StateEffect.define<readonly QueryProblem[]>()

export const ERROR_FIELD = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, change) => {
    const told = change.effects.find((effect) => effect.is(SHOW_ERRORS))
    return told ? marksOf(change.state, told.value) : shown.map(change.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

export function showErrors(view: EditorView, problems: readonly QueryProblem[]): void {
  view.dispatch({ effects: SHOW_ERRORS.of(problems) })
}

/** The offset of a place that may be gone by now. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)))
  return Math.min(from + column - 1, to)
}

/** Takes the first name that the server suggests for an error in the cursor's line. */
export function applyFix(view: EditorView): boolean {
  const { doc, selection } = view.state
  const line = doc.lineAt(selection.main.head)
  const placed = placedErrors(view.state, line.from, line.to)[0]
  const name = placed && suggestedNames(placed.problem.message)[0]
  if (!placed || !name) return false
  replaceWith(view, placed, name)
  return true
}

/** The marked words between two places, where they are after all that was typed since. */
function placedErrors(state: EditorState, start: number, end: number): Placed[] {
  const found: Placed[] = []
  state.field(ERROR_FIELD).between(start, end, (from, to, { spec }) => {
    if (spec.problem && from < to) found.push({ from, to, problem: spec.problem })
  })
  return found
}

function replaceWith(view: EditorView, { from, to }: Placed, name: string): void {
  view.dispatch({
    changes: { from, to, insert: name },
    selection: { anchor: from + name.length },
    userEvent: 'input.complete',
  })
  view.focus()
}

function marksOf(state: EditorState, problems: readonly QueryProblem[]): DecorationSet {
  const marks = problems.flatMap((problem) => {
    const placed = placeOf(state, problem)
    const line = state.doc.lineAt(placed.from)
    const message = Decoration.widget({ widget: new ErrorMessage(problem), block: true, side: 1 })
    if (problem.line === null) return [message.range(state.doc.length)]
    return [
      Decoration.line({ class: 'err' }).range(line.from),
      ...(placed.from < placed.to
        ? [Decoration.mark({ class: 'squig', problem }).range(placed.from, placed.to)]
        : []),
      message.range(line.to),
    ]
  })
  return Decoration.set(marks, true)
}

function placeOf({ doc }: EditorState, problem: QueryProblem): Placed {
  const from = offsetOf(doc, problem.line ?? 1, problem.column ?? 1)
  const line = doc.lineAt(from)
  const word = /^[\w$@]+|^./.exec(line.text.slice(from - line.from))?.[0].length ?? 0
  return { from, to: Math.min(from + (problem.length ?? word), line.to), problem }
}

class ErrorMessage extends WidgetType {
  readonly problem: QueryProblem

  constructor(problem: QueryProblem) {
    super()
    this.problem = problem
  }

  override eq({ problem }: ErrorMessage): boolean {
    const { message, line, column } = this.problem
    return problem.message === message && problem.line === line && problem.column === column
  }

  override toDOM(view: EditorView): HTMLElement {
    const { message, line, column } = this.problem
    const words = element('span', {}, message.charAt(0).toUpperCase() + message.slice(1))
    const fixes = suggestedNames(message).map((name) => this.fixButton(view, name))
    const title = `line ${line}, column ${column ?? 1}`
    const place = element('span', { className: 'at', title }, `${line}:${column ?? 1}`)
    const box = element('div', { className: 'lint' }, words, ...fixes)
    if (line !== null) box.append(place)
    return element('div', { className: 'lintbox' }, box)
  }

  fixButton(view: EditorView, name: string): HTMLElement {
    const onclick = () => {
      const placed = placedErrors(view.state, 0, view.state.doc.length)
      const own = placed.find(({ problem }) => problem === this.problem)
      if (own) replaceWith(view, own, name)
    }
    return element('button', { type: 'button', onclick }, `Use ${name}`)
  }
}
