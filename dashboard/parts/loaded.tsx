import type { ComponentChildren } from 'preact'
import { LoadFault, SkeletonRows } from './empty.tsx'

type Call<T> = { data: { data: T } | undefined; error: unknown; reload(): void }

/** What a call answered; an outline until then, and why it failed where it did. */
export function Loaded<T>(props: {
  call: Call<T>
  /** The rows of the outline. */
  rows?: number
  /** Another outline than rows. */
  wait?: ComponentChildren
  /** It stands alone on the page, so the outline is in a card of its own. */
  isAlone?: boolean
  /** The classes of a box around the fault. */
  around?: string
  empty?: ComponentChildren
  children(data: T): ComponentChildren
}) {
  const { data, error, reload } = props.call
  if (data) {
    const isEmpty = Array.isArray(data.data) && data.data.length === 0
    return <>{isEmpty && props.empty !== undefined ? props.empty : props.children(data.data)}</>
  }
  if (error) {
    const fault = <LoadFault error={error} retry={reload} />
    return props.around ? <div class={props.around}>{fault}</div> : fault
  }
  if (props.wait !== undefined) return <>{props.wait}</>
  const rows = <SkeletonRows rows={props.rows ?? 4} />
  if (!props.isAlone) return rows
  return (
    <section class="card" role="status" aria-busy="true" aria-label="Loading">
      {rows}
    </section>
  )
}
