import { Icon } from '../../parts/icon.tsx'
import { say } from '../../shell/toasts.tsx'
import { saveFile, usageCsv } from './usage-csv.ts'
import type { UsageView } from './usage-view.ts'

type CsvProps = {
  view: UsageView
  apps: ReadonlyMap<string, string>
  points: Parameters<typeof usageCsv>[0] | undefined
}

/** Saves the usage in view as a file. */
export function CsvButton({ view, apps, points }: CsvProps) {
  const isEmpty = !points || points.length === 0
  const save = () => {
    if (isEmpty) return
    const name = `headgate-usage-${view.period}-by-${view.by}.csv`
    saveFile(name, usageCsv(points, view.by, apps))
    say(`${name} is on its way`)
  }
  return (
    <button
      class="btn"
      type="button"
      disabled={isEmpty}
      title={isEmpty ? 'There is no usage to download' : 'Download what is in view'}
      onClick={save}
    >
      <Icon name="dl" />
      CSV
    </button>
  )
}
