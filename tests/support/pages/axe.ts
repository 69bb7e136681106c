import axe from 'axe-core'
import type { Page } from 'playwright-core'

type Violation = { id: string; impact: string | null; help: string; nodes: { html: string }[] }

/** On a desk and in a hand, by day and by night. Only colours differ at night. */
const LOOKS = [
  { width: 1440, height: 900, colorScheme: 'light', rules: '{}' },
  { width: 1440, height: 900, colorScheme: 'dark', rules: '{ runOnly: ["color-contrast"] }' },
  { width: 390, height: 844, colorScheme: 'light', rules: '{}' },
  { width: 390, height: 844, colorScheme: 'dark', rules: '{ runOnly: ["color-contrast"] }' },
] as const

/**
 * The faults of a page as it stands, in every look, one line each; there must be none. They are
 * those that axe-core finds, and that it is wider than the screen.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = []
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  for (const { width, height, colorScheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height })
    // Colours that fade are not yet what they will be.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const found = (await page.evaluate(
      `axe.run(document, { resultTypes: ['violations'], ...${rules} }).then((found) => found.violations)`,
    )) as Violation[]
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    const lines = [...found.map(lineOf), ...(isWide ? ['it scrolls sideways'] : [])]
    faults.push(...lines.map((line) => `${width} ${colorScheme}: ${line}`))
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
  return faults
}

function lineOf({ id, impact, help, nodes }: Violation): string {
  return `${impact} ${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`
}
