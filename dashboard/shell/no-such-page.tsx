import { findVisitor } from '../api/session.ts'
import { Empty } from '../parts/empty.tsx'
import { PageFrame } from './page-frame.tsx'

export function NoSuchPage() {
  return (
    <PageFrame title="No such page">
      <section class="card">
        <Empty isPage icon="find" title="There is no such page">
          The address may be mistyped, or what it named is gone.
        </Empty>
      </section>
    </PageFrame>
  )
}

export function Unreachable() {
  return (
    <main class="door">
      <Empty
        isPage
        icon="warn"
        title="Headgate does not answer"
        acts={
          <button class="btn primary" type="button" onClick={() => void findVisitor()}>
            Try again
          </button>
        }
      >
        The page is here, but the service behind it is not. Start it again, or look at its log.
      </Empty>
    </main>
  )
}
