import type { ComponentChildren } from 'preact'

export function Fact(props: {
  name: ComponentChildren
  class?: string
  children: ComponentChildren
}) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd class={props.class}>{props.children}</dd>
    </>
  )
}

/** A fact with a box of its own, for lists that stand in a row. */
export function BoxedFact(props: { name: string; class?: string; children: ComponentChildren }) {
  return (
    <div class={props.class}>
      <Fact name={props.name}>{props.children}</Fact>
    </div>
  )
}

/** A figure with its name above it; `m` as its class makes it smaller. */
export function Figure(props: {
  name: string
  class?: string
  /** No other figure stands beside it in a list of them. */
  isAlone?: boolean
  tone?: string
  title?: string
  unit?: string | undefined
  children: ComponentChildren
}) {
  const Box = props.isAlone ? 'dl' : 'div'
  return (
    <Box class={`fig ${props.class ?? ''}`.trim()} title={props.title}>
      <dt>{props.name}</dt>
      <dd class={props.tone}>
        {props.children}
        {props.unit && <small>{props.unit}</small>}
      </dd>
    </Box>
  )
}
