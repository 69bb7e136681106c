import type { ComponentChildren } from 'preact'
import { LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { Icon } from '../../../parts/icon.tsx'

type Loaded = { data: { data: readonly unknown[] } | undefined; error: unknown; reload(): void }

type CardProps = {
  title: string
  about: string
  action: string
  onAdd(): void
  loaded: Loaded
  empty: ComponentChildren
  foot: ComponentChildren
  /** Its rows; shown when there are any. */
  children: ComponentChildren
}

/** A list of credentials that can be added to and revoked. */
export function CredentialsCard(props: CardProps) {
  const { data, error, reload } = props.loaded
  return (
    <section class="card">
      <div class="ch line">
        <h2>{props.title}</h2>
        <span class="quiet small">{props.about}</span>
        <span class="acts">
          <button class="btn primary" type="button" onClick={props.onAdd}>
            <Icon name="plus" />
            {props.action}
          </button>
        </span>
      </div>
      {data && data.data.length > 0 && <ul class="lines">{props.children}</ul>}
      {data?.data.length === 0 && props.empty}
      {!data && error ? (
        <div class="cb pad">
          <LoadFault error={error} retry={reload} />
        </div>
      ) : null}
      {!data && !error && <SkeletonRows rows={3} />}
      <div class="cf">
        <Icon name="shield" small />
        <span>{props.foot}</span>
      </div>
    </section>
  )
}

type RowProps = {
  name: string
  tag: ComponentChildren
  /** Why it cannot be revoked; absent where it can. */
  kept?: string | undefined
  onRevoke(): void
  children: ComponentChildren
}

export function CredentialRow({ name, tag, kept, onRevoke, children }: RowProps) {
  return (
    <li>
      <span class="t">
        <span class="row">
          <span class="clip">{name}</span>
          {tag}
        </span>
        <span class="faint tiny wraps">{children}</span>
      </span>
      <button
        class="btn sm danger"
        type="button"
        aria-label={`Revoke ${name}`}
        disabled={kept !== undefined}
        title={kept}
        onClick={onRevoke}
      >
        Revoke
      </button>
    </li>
  )
}
