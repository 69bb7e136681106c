import {
  acceptCompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentService, indentUnit } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tokensIn } from './token-field.ts'

/** Waits so long for Tab after Escape; any other key ends it. */
const LEAVING_MS = 60_000

export const EDITING: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  bracketMatching(),
  closeBrackets(),
  indentOnInput(),
  indentUnit.of('  '),
  indentService.of(({ state }, offset) => depthAt(state, offset) * 2),
  EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...historyKeymap,
    ...defaultKeymap,
    { key: 'Tab', run: acceptCompletion },
    indentWithTab,
    { key: 'Escape', run: readyToLeave },
  ]),
]

/**
 * A browser that types over a selection keeps its look by writing style attributes, which the
 * pages' policy forbids and reports. So the text is changed here, before the browser does it.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { ranges, main } = view.state.selection
  const text = event.data
  const isTyped = event.inputType === 'insertText' && text !== null && !view.composing
  if (!isTyped || main.empty || ranges.length > 1) return false
  event.preventDefault()
  const replacement = () =>
    view.state.update({ ...view.state.replaceSelection(text), userEvent: 'input.type' })
  const handlers = view.state.facet(EditorView.inputHandler)
  const isHandled = handlers.some((take) => take(view, main.from, main.to, text, replacement))
  if (!isHandled) view.dispatch(replacement())
  return true
}

function readyToLeave(view: EditorView): boolean {
  view.setTabFocusMode(LEAVING_MS)
  return true
}

/** How many brackets are open there; one that closes right behind it counts as closed. */
function depthAt(state: EditorState, offset: number): number {
  const { to } = state.doc.lineAt(offset)
  const rest = state.sliceDoc(offset, to).trimStart()
  let depth = /^[)}\]]/.test(rest) ? -1 : 0
  for (const { kind, text, to: end } of tokensIn(state)) {
    if (end > offset) break
    if (kind !== 'punctuation') continue
    if ('({['.includes(text)) depth++
    else if (')}]'.includes(text)) depth--
  }
  return Math.max(0, depth)
}
