import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../../api/call-api.ts'
import { Empty, SkeletonRows } from '../../parts/empty.tsx'
import { navigate } from '../../shell/routing/router.ts'

/** Finds the webhook of a delivery that was pasted, and opens it there. */
export function FindDelivery({ id }: { id: string }) {
  const [isUnknown, setUnknown] = useState(false)
  useEffect(() => {
    let isWanted = true
    setUnknown(false)
    callApi('getDelivery', { parameters: { id } })
      .then(({ data }) => {
        const to = `/webhooks/${data.webhook_id}?delivery=${data.id}`
        if (isWanted) navigate(to, { replace: true })
      })
      .catch(() => isWanted && setUnknown(true))
    return () => {
      isWanted = false
    }
  }, [id])
  const act = (
    <a class="btn" href="/webhooks">
      All webhooks
    </a>
  )
  return (
    <section class="card">
      {isUnknown ? (
        <Empty isTop icon="inbox" title="There is no such delivery" acts={act}>
          {id} is older than the log, or belongs to another team.
        </Empty>
      ) : (
        <SkeletonRows rows={4} />
      )}
    </section>
  )
}
