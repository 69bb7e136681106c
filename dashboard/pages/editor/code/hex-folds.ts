import type { Range } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { element } from '../../../parts/element.ts'
import { tokensIn } from './token-field.ts'

/** Longer ones than an address are folded: `0xddf252ad…f523b3ef`. */
const SHOWN_MAX = 42
const HEAD = 10
const TAIL = 8

/**
 * Folds the middle of long hex. The text itself stays as it is, so it copies whole; where the
 * cursor stands on one, it is unfolded.
 */
export const HEX_FOLDS = EditorView.decorations.of(foldsOf)

function foldsOf(view: EditorView): DecorationSet {
  const folds: Range<Decoration>[] = []
  const { from, to } = view.viewport
  const heads = view.hasFocus ? view.state.selection.ranges.map(({ head }) => head) : []
  for (const token of tokensIn(view.state)) {
    if (token.kind !== 'string' || token.to < from || token.from > to) continue
    const hex = token.text.slice(1, -1)
    if (hex.length <= SHOWN_MAX || !/^0x[0-9a-fA-F]+$/.test(hex)) continue
    if (heads.some((head) => head > token.from && head < token.to)) continue
    const start = token.from + 1
    const widget = new HexFold(hex)
    folds.push(Decoration.replace({ widget }).range(start + HEAD, start + hex.length - TAIL))
  }
  return Decoration.set(folds)
}

class HexFold extends WidgetType {
  readonly hex: string

  constructor(hex: string) {
    super()
    this.hex = hex
  }

  override eq(other: HexFold): boolean {
    return other.hex === this.hex
  }

  override toDOM(view: EditorView): HTMLElement {
    const bytes = (this.hex.length - 2) / 2
    const button = element(
      'button',
      {
        type: 'button',
        className: 'fold',
        title: this.hex,
        tabIndex: -1,
        ariaLabel: `Unfold the value of ${bytes} bytes`,
        onclick: () => {
          view.dispatch({ selection: { anchor: view.posAtDOM(button) } })
          view.focus()
        },
      },
      '…',
    )
    return button
  }
}
