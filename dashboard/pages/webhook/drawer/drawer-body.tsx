import { changeQuery } from '../../../shell/routing/router.ts'
import { AttemptList } from './attempt-list.tsx'
import { DeliveryTags } from './delivery-summary.tsx'
import { DeliveryTexts } from './delivery-texts.tsx'
import { SignatureNote } from './signature-note.tsx'
import type { DeliveryDetail } from './use-delivery.ts'
import { VersionPair } from './version-pair.tsx'

/** All there is to tell about a delivery. */
export function DrawerBody({ delivery }: { delivery: DeliveryDetail }) {
  return (
    <>
      <DeliveryTags delivery={delivery} />
      <VersionPair
        key={delivery.id}
        delivery={delivery}
        onOpen={(id) => changeQuery({ delivery: id }, { replace: false })}
      />
      <AttemptList delivery={delivery} />
      <section aria-label="What was sent">
        <DeliveryTexts delivery={delivery} />
      </section>
      <SignatureNote webhookId={delivery.webhook_id} />
    </>
  )
}
