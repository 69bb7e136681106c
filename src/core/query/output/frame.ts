import { type BlockListName, fieldRule } from '../items/fields.ts'
import { ownText } from '../keys/own-text.ts'
import type { Plan, SelectedField } from '../language/plan.ts'
import { partText, type Run } from './fragments.ts'
import { EVERYTHING, type Part, type Shape, type Shapes, type VariableSource } from './shapes.ts'

/**
 * A result without what is in the lists directly under `block`. Queries that differ
 * only in those share it, and with it the whole result where their lists are empty.
 */
export type Frame = {
  /** What opens the result: the name of the root, and what stands before it. */
  readonly start: string
  readonly lists: readonly FrameList[]
  /** What stands before each list and after the last. */
  readonly segments: readonly Segment[]
}

type FrameList = { readonly responseName: string; readonly list: BlockListName }

type Segment = { readonly parts: readonly Part[]; readonly end: string }

/** The fields of a plan that are lists directly under `block`, in order. */
export function listFields(plan: Plan): SelectedField[] {
  return plan.selection.fields.filter(({ name }) => listNameOf(name) !== null)
}

export function listNameOf(field: string): BlockListName | null {
  const rule = fieldRule('Block', field)
  return rule.kind === 'blockList' ? rule.list : null
}

/** Equal for plans that share a frame. */
export function frameKey({ root, selection }: Plan): string {
  const fields = selection.fields.map(({ responseName, name, selection: inner }) =>
    listNameOf(name) ? `${responseName}:${name}[]` : `${responseName}:${name}${inner?.key ?? ''}`,
  )
  return `${root.before}{${fields.join(' ')}}${root.after}`
}

export function openFrame(plan: Plan, shapes: Shapes, source: VariableSource): Frame {
  const lists: FrameList[] = []
  const segments: Segment[] = []
  let parts: Part[] = []
  for (const [at, field] of plan.selection.fields.entries()) {
    const { responseName, name, selection } = field
    const glue = `${at === 0 ? '{' : ','}"${responseName}":`
    const list = listNameOf(name)
    if (list) {
      segments.push({ parts, end: glue })
      lists.push({ responseName: ownText(responseName), list })
      parts = []
      continue
    }
    const rule = fieldRule('Block', name)
    const shape = selection && shapes.take(selection, source, rule.kind === 'parent')
    parts.push({ glue, rule, shape, filter: EVERYTHING })
  }
  const close = plan.selection.fields.length === 0 ? '{}' : '}'
  segments.push({ parts, end: close + plan.root.after })
  return { start: ownText(plan.root.before), lists, segments }
}

export function closeFrame(
  frame: Frame,
  shapes: Shapes,
  source: Pick<VariableSource, 'release'>,
): void {
  for (const shape of shapesOf(frame)) shapes.release(shape, source)
}

/** The texts before each list and after the last; for a frame without lists, all of it. */
export function frameTexts(run: Run, frame: Frame): readonly string[] {
  const known = run.frames.get(frame)
  if (known) return known
  // Only lists are cut, so the rest of a result is written however long it is.
  const unlimited = { ...run, bytesMax: Number.POSITIVE_INFINITY }
  const texts = frame.segments.map(({ parts, end }, at) => {
    let text = at === 0 ? frame.start : ''
    for (const part of parts) text += part.glue + (partText(unlimited, part, run.block) ?? 'null')
    return text + end
  })
  run.frames.set(frame, texts)
  return texts
}

function shapesOf({ segments }: Frame): Shape[] {
  return segments.flatMap(({ parts }) => parts.flatMap(({ shape }) => shape ?? []))
}
