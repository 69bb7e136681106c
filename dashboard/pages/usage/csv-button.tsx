import type { UsagePoint } from '@headgate/client'
import { Button } from '../../parts/button.tsx'
import { element } from '../../parts/element.ts'
import { say } from '../../shell/toasts.tsx'
import type { UsageGrouping, UsageView } from './usage-view.ts'

type CsvProps = {
  view: UsageView
  apps: ReadonlyMap<string, string>
  points: readonly UsagePoint[] | undefined
}

export function CsvButton({ view, apps, points }: CsvProps) {
  const isEmpty = !points || points.length === 0
  const save = () => {
    if (isEmpty) return
    const name = `headgate-usage-${view.period}-by-${view.by}.csv`
    saveFile(name, usageCsv(points, view.by, apps))
    say(`${name} is on its way`)
  }
  return (
    <Button
      icon="dl"
      disabled={isEmpty}
      title={isEmpty ? 'There is no usage to download' : 'Download what is in view'}
      onClick={save}
    >
      CSV
    </Button>
  )
}

/** A sheet takes a text that opens so for a formula. */
const FORMULA = /^[=+\-@\t\r]/

/** The points as they were answered, one a line, so that sums are the same as in view. */
export function usageCsv(
  points: readonly UsagePoint[],
  by: UsageGrouping,
  apps: ReadonlyMap<string, string>,
): string {
  const names = by === 'app' ? ['app_id', 'app_name'] : [by]
  const lines = points.map(({ start, group, calls, cu, bytes }) => {
    const id = group ?? ''
    const name = by === 'app' ? [id, apps.get(id) ?? ''] : [id]
    return [new Date(start).toISOString(), ...name.map(field), calls, cu, bytes].join(',')
  })
  return [['start', ...names, 'calls', 'cu', 'bytes'].join(','), ...lines, ''].join('\r\n')
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  element('a', { href: url, download: name }).click()
  // The browser has begun to read by the next turn; the text is kept no longer.
  setTimeout(() => URL.revokeObjectURL(url))
}

function field(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
