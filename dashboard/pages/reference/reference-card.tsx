import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'

type Props = {
  id: string
  face: ComponentChildren
  isOpen: boolean
  /** It is what the address names. */
  isTarget: boolean
  onToggle(): void
  children(): ComponentChildren
}

/** A line that opens; what is inside is made only then, so that a long page stays quick. */
export function ReferenceCard(props: Props) {
  const { id, isOpen, isTarget } = props
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isTarget) ref.current?.scrollIntoView({ block: 'start' })
  }, [isTarget])
  return (
    <article ref={ref} id={id} class={isTarget ? 'card refcard target' : 'card refcard'}>
      <h3>
        <button
          class="refhead"
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-inside` : undefined}
          onClick={props.onToggle}
        >
          {props.face}
          <Icon name={isOpen ? 'down' : 'chev'} small />
        </button>
      </h3>
      {isOpen && <div id={`${id}-inside`}>{props.children()}</div>}
    </article>
  )
}
