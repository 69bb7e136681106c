import { Segmented } from '../../parts/forms/segmented.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { AttentionCard } from './attention-card.tsx'
import { DeliveriesCard } from './deliveries-card.tsx'
import { HeadsCard } from './heads-card.tsx'
import { MonthCard } from './month-card.tsx'
import { RequestsCard } from './requests-card.tsx'
import { TIME_RANGES, timeRangeOf, USUAL_RANGE } from './time-range.ts'

export default function OverviewPage() {
  const { query } = usePlace()
  const range = timeRangeOf(query)
  return (
    <PageFrame title="Overview">
      <div class="head">
        <h1>Overview</h1>
        <div class="acts">
          <Segmented
            label="Time range"
            value={range.value}
            options={TIME_RANGES}
            onChange={(value) => changeQuery({ range: value === USUAL_RANGE ? null : value })}
          />
        </div>
      </div>
      <HeadsCard />
      <div class="grid g21">
        <RequestsCard range={range} />
        <MonthCard />
      </div>
      <div class="grid g21">
        <DeliveriesCard />
        <AttentionCard />
      </div>
    </PageFrame>
  )
}
