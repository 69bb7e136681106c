import { BlocksArt } from '../../parts/art.tsx'
import { Empty } from '../../parts/empty.tsx'

/** How the first webhook comes. */
export function NoWebhooks() {
  const acts = (
    <>
      <a class="btn primary" href="/webhooks/new?templates=1">
        Start from a template
      </a>
      <a class="btn ghost" href="/webhooks/new">
        Write a query
      </a>
    </>
  )
  return (
    <section class="card">
      <Empty isTop art={<BlocksArt />} title="No webhooks yet" acts={acts}>
        Write a query once. Headgate runs it on every new block and posts what it finds to you,
        signed.
      </Empty>
    </section>
  )
}
